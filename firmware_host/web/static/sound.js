// The table's tunes, struck on wood and glass, played by this browser once each if sound is on.
import { h, icon, language, remember, remembered, t, toggle } from "/static/page.js";

// Timbres: [frequency ratio, loudness] of each partial, the decay time in s, and the loudness of
// the knock.
const BODIES = {
  wood: { partials: [[1, 1], [3.93, 0.32], [9.2, 0.1]], ring_s: 0.09, knock: 0.5 },
  glass: { partials: [[1, 0.7], [2.76, 0.5], [5.4, 0.28], [8.93, 0.12]], ring_s: 0.2, knock: 0.12 },
};
const [WOOD, GLASS] = ["wood", "glass"];
const TABLE = [WOOD, 147, 0]; // The knock of the table under a piece.
const PUT = { tile: [[WOOD, 880, 0], [WOOD, 660, 0.05]], stone: [[WOOD, 1175, 0], TABLE],
  ship: [[GLASS, 1047, 0], TABLE], ball: [[GLASS, 1760, 0], TABLE] };

// Strokes of each tune: [timbre, Hz, start in s].
const TUNES = {
  start: [[WOOD, 523, 0], [WOOD, 659, 0.1], [WOOD, 784, 0.2]],
  ask: [[GLASS, 784, 0], [GLASS, 1047, 0.1]],
  settled: [[WOOD, 587, 0], [WOOD, 784, 0.07]],
  wrong: [[WOOD, 196, 0], [WOOD, 165, 0.17]],
  "last-marble": [[GLASS, 880, 0], [GLASS, 880, 0.14], [GLASS, 1175, 0.28]],
  takeback: [[WOOD, 494, 0], [WOOD, 392, 0.09]],
  win: [[GLASS, 523, 0], [GLASS, 659, 0.12], [GLASS, 784, 0.24], [GLASS, 1047, 0.36],
    [WOOD, 262, 0.36]],
  draw: [[WOOD, 523, 0], [WOOD, 523, 0.2]],
  paused: [[WOOD, 330, 0]],
};
const LASTS_S = 1.4;
// People who want less motion hear nothing until they turn sound on.
const quiet = matchMedia("(prefers-reduced-motion: reduce)");

/** Add a stroke to the samples of a tune. */
function strike(samples, rate, [name, hertz, at]) {
  const { partials, ring_s: ring, knock } = BODIES[name];
  for (let n = Math.round(at * rate), since = 0; n < samples.length; n += 1, since += 1 / rate) {
    let sum = knock * (Math.random() * 2 - 1) * Math.exp(-since / 0.004);
    for (const [times, loud] of partials)
      sum += loud * Math.sin(2 * Math.PI * hertz * times * since)
        * Math.exp((-since / ring) * times ** 0.6);
    samples[n] += sum * 0.3 * Math.min(1, since / 0.001);
  }
}

export class Sounds {
  /** @type {AudioContext | undefined} */ audio;

  constructor(store) {
    /** @type {Store} */ this.store = store;
    this.on = remembered("sound", quiet.matches ? "off" : "on") === "on";
    this.volume = Number(remembered("volume", "60"));
    this.heard = null; // Number of the newest known sound.
    // Sounds during the interruption are over.
    store.on(["link"], () => { if (store.link === "lost") this.heard = null; });
    store.on(["game.sounds"], () => this.take(store.snapshot.game.sounds));
    // A browser allows sound only after a touch. Starting it is slow, so the effect of that touch
    // is drawn first.
    const wake = () => requestAnimationFrame(() => setTimeout(() => this.context()));
    addEventListener("pointerdown", wake, { once: true });
    addEventListener("keydown", wake, { once: true });
  }

  take(sounds) {
    const [newest, name] = sounds.at(-1) ?? [0];
    if (this.heard !== null && newest > this.heard) this.play(name);
    this.heard = newest; // Sounds before this page opened are over.
  }

  toggle() {
    this.on = !this.on;
    remember("sound", this.on ? "on" : "off");
    if (this.on) this.play("settled");
    return this.on;
  }

  /** Make the volume slider for the drawer. */
  slider() {
    const keep = () => { remember("volume", String(this.volume)); this.play("move"); };
    return h("label", { class: "volume" }, icon("sound"),
      h("input", { type: "range", min: 0, max: 100, value: this.volume, "aria-label": t("Volume"),
        oninput: ({ target }) => { this.volume = Number(target.value); }, onchange: keep }));
  }

  context() {
    this.audio ??= new AudioContext();
    if (this.audio.state === "suspended") this.audio.resume();
    return this.audio;
  }

  strokes(name) {
    if (name !== "move") return TUNES[name];
    const { looks = {} } = this.store.game ?? {};
    return PUT[Object.values(looks)[0]?.form] ?? PUT.ball;
  }

  play(name) {
    const strokes = this.strokes(name);
    if (!this.on || !strokes || !navigator.userActivation?.hasBeenActive) return;
    const audio = this.context();
    const sound = audio.createBuffer(1, LASTS_S * audio.sampleRate, audio.sampleRate);
    for (const each of strokes) strike(sound.getChannelData(0), audio.sampleRate, each);
    const loudness = new GainNode(audio, { gain: (this.volume / 100) ** 2 });
    const source = audio.createBufferSource();
    source.buffer = sound;
    source.connect(loudness).connect(audio.destination);
    source.start();
  }
}

// Reads the sentence aloud if people turn that on.
export class Voice {
  constructor() {
    this.able = "speechSynthesis" in window;
    this.on = this.able && remembered("voice", "off") === "on";
    this.said = "";
  }

  /** Read `words` once, and stop what was being read. */
  say(words) {
    if (words === this.said) return;
    this.said = words;
    if (this.on) this.speak();
  }

  speak() {
    speechSynthesis.cancel();
    if (!this.said) return;
    const utterance = new SpeechSynthesisUtterance(this.said);
    utterance.lang = language();
    utterance.voice = speechSynthesis.getVoices()
      .find(({ lang }) => lang.startsWith(language())) ?? null;
    speechSynthesis.speak(utterance);
  }

  /** Make the button for it, or return null if the browser cannot speak. */
  button() {
    return this.able ? toggle("sound", t("Read aloud"), this.on, () => {
      this.on = !this.on;
      remember("voice", this.on ? "on" : "off");
      speechSynthesis.cancel();
      if (this.on) this.speak();
      return this.on;
    }) : null;
  }
}
