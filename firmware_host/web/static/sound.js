// The table's tunes, played by this browser: each once, and only where sound is on.
import { remember, remembered } from "/static/prefs.js";

// [frequency Hz, start s, length s] of each note
const TUNES = {
  start: [[523, 0, 0.1], [659, 0.1, 0.1], [784, 0.2, 0.18]],
  move: [[392, 0, 0.07]],
  ask: [[784, 0, 0.07], [1047, 0.1, 0.12]],
  settled: [[587, 0, 0.06], [784, 0.07, 0.1]],
  wrong: [[196, 0, 0.16], [165, 0.17, 0.22]],
  "last-marble": [[880, 0, 0.09], [880, 0.14, 0.09], [1175, 0.28, 0.22]],
  takeback: [[494, 0, 0.08], [392, 0.09, 0.12]],
  win: [[523, 0, 0.12], [659, 0.12, 0.12], [784, 0.24, 0.12], [1047, 0.36, 0.4]],
  draw: [[523, 0, 0.15], [523, 0.2, 0.25]],
  paused: [[330, 0, 0.12]],
};

const STALE_MS = 3000;

export class Sounds {
  constructor(store) {
    this.on = remembered("sound", "on") === "on";
    this.heard = null; // number of the newest sound known
    this.lost = null; // when the connection went
    store.listen((_, changed) => {
      if (changed.has("link") && store.link === "lost") this.lost ??= performance.now();
      if (changed.has("sounds")) this.take(store.snapshot.sounds);
    });
    // a browser lets a page sound only after its person has touched it
    const wake = () => this.context();
    addEventListener("pointerdown", wake, { once: true });
    addEventListener("keydown", wake, { once: true });
  }

  take(sounds) {
    // What sounded while the page was away for long is over; a short loss swallows nothing.
    if (this.lost !== null && performance.now() - this.lost > STALE_MS) this.heard = null;
    this.lost = null;
    const newest = sounds.reduce((most, { number }) => Math.max(most, number), 0);
    if (this.heard !== null) {
      const fresh = sounds.filter(({ number }) => number > this.heard);
      if (fresh.length) this.play(fresh[fresh.length - 1].name);
    }
    this.heard = newest; // what sounded before this page came is over
  }

  toggle() {
    this.on = !this.on;
    remember("sound", this.on ? "on" : "off");
    if (this.on) this.play("settled");
    return this.on;
  }

  context() {
    this.audio ??= new AudioContext();
    if (this.audio.state === "suspended") this.audio.resume();
    return this.audio;
  }

  play(name) {
    const notes = TUNES[name];
    if (!this.on || !notes || !navigator.userActivation?.hasBeenActive) return;
    const audio = this.context();
    for (const [hertz, at, length] of notes) {
      const begin = audio.currentTime + 0.02 + at;
      const tone = audio.createOscillator();
      const loudness = audio.createGain();
      tone.type = "triangle";
      tone.frequency.value = hertz;
      loudness.gain.setValueAtTime(0, begin);
      loudness.gain.linearRampToValueAtTime(0.18, begin + 0.012);
      loudness.gain.exponentialRampToValueAtTime(0.001, begin + length + 0.12);
      tone.connect(loudness).connect(audio.destination);
      tone.start(begin);
      tone.stop(begin + length + 0.15);
    }
  }
}
