// The first screen: how to begin, before the first game of a browser, and ever after by a press on the table's name.
import { button, h, remember, remembered, setText, t } from "/static/page.js";
import { boardPicture, face } from "/static/drawings.js";

const USUAL = { name: "momentum", players: ["red", "blue"] }; // where nothing is on the plate that two can begin

export class Doors {
  /** `begin(name, more)` begins a game; `learn(name)`, `playFreely()` and `another()` as they say. */
  constructor(store, { begin, learn, playFreely, another, cup }) {
    Object.assign(this, { store, begin });
    this.called = false; // whether somebody asked for it
    const door = (drawn, title, about, act) => h("button", { type: "button", class: "door", onclick: () => { this.leave(); act(); } }, drawn, h("strong", {}, title), h("span", {}, about));
    this.aim = h("p", { class: "aim" });
    this.picture = h("span", {});
    this.element = h("section", { class: "card doors", "aria-label": t("How to begin"), hidden: true },
      h("div", { class: "three" },
        door(h("span", { class: "face" }, "?"), t("Learn in a minute"), t("The table shows you."), () => learn(this.learning())),
        door(face(5), t("Play the computer"), t("It plays as well as you."), () => this.playTheComputer()),
        door(face(0), t("Two of us here"), t("You take turns."), () => this.two())),
      h("div", { class: "about" }, this.picture, this.aim),
      h("div", { class: "row" }, button("play", t("Tilt and stack"), () => { this.leave(); playFreely(); }), button("list", t("Another game"), () => { this.leave(); another(); }), button("trophy", t("Family cup"), cup)));
    this.handle = h("button", { type: "button", class: "plain brand", title: t("How to begin"), onclick: () => { this.called = this.element.hidden; this.update(); if (this.called) this.element.querySelector("button").focus(); } });
    store.listen((_, changed) => {
      if (store.snapshot?.attract) this.called = true; // they stay while somebody's first touch ends the show
      else if (changed.has("moves") && !this.element.hidden) this.called = false; // not what ends the lesson out of which it was asked for
      this.update();
    });
  }

  /** Kind and players of the game that would be begun. */
  get kind() {
    const { game } = this.store;
    return game?.players.length === 2 && !Object.keys(game.glossary).length ? game : USUAL;
  }

  learning() { return this.store.game?.lesson ? this.store.game.name : USUAL.name; }

  update() {
    const { snapshot, game, review, mayAct } = this.store;
    const begun = game && snapshot?.moves.length || remembered("begun", "");
    const shown = Boolean(snapshot && mayAct && !review && !snapshot.lesson && !["free", "over"].includes(snapshot.phase) && (this.called || !begun && !snapshot.room));
    this.element.hidden = !(shown || this.called && snapshot?.phase === "over");
    document.documentElement.toggleAttribute("data-doors", !this.element.hidden);
    if (this.element.hidden || this.shownFor === game?.id) return;
    this.shownFor = game?.id;
    setText(this.aim, game?.aim ?? "");
    this.picture.replaceChildren(...(game ? [boardPicture(game.looks)] : []));
  }

  /** Something has been chosen. */
  leave() {
    remember("begun", "yes");
    this.called = false;
    this.update();
  }

  /** Who is which colour is drawn, and the level is that of the last games. */
  playTheComputer() {
    const { name, players } = this.kind;
    const computer = players[Math.floor(Math.random() * 2)];
    this.begin(name, { engines: { [computer]: { engine: "tiltboard", level: Number(remembered("level", "3")) } } });
  }

  two() {
    const { snapshot, game } = this.store;
    const ready = game && game === this.kind && !snapshot.moves.length && !Object.keys(snapshot.engines).length;
    if (!ready) this.begin(this.kind.name, {});
  }
}
