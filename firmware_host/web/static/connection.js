// The WebSocket to the table: matches answers to requests, notices a lost connection and restores
// it.

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8000;
const PING_MS = 4000;
const ATTEMPT_MS = 5000; // A handshake that takes longer never ends.
const ANSWER_MS = 65000;

export class Connection {
  /** `onMessage(message)` receives layouts and snapshots; `onLink("open" | "lost")` is called at
   * each change. */
  constructor(onMessage, onLink) {
    this.onMessage = onMessage;
    this.onLink = onLink;
    this.waiting = new Map();
    this.ref = 0;
    this.wait = FIRST_WAIT_MS;
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
    this.open();
  }

  open() {
    clearTimeout(this.retry);
    const socket = new WebSocket(`ws://${location.host}/api/v1/ws`);
    this.socket = socket;
    this.limit = setTimeout(() => this.drop(socket), ATTEMPT_MS);
    socket.onopen = () => {
      clearTimeout(this.limit);
      this.wait = FIRST_WAIT_MS;
      this.heard = true;
      this.pings = setInterval(() => this.ping(socket), PING_MS);
    };
    socket.onmessage = (event) => {
      this.heard = true;
      this.receive(JSON.parse(event.data));
    };
    socket.onclose = () => this.lost(socket);
  }

  ping(socket) {
    if (!this.heard) {
      this.drop(socket);
      return;
    }
    this.heard = false;
    socket.send(JSON.stringify({ type: "ping" }));
  }

  /** Give a socket up now, because its own close event can come much later or never. */
  drop(socket) {
    this.lost(socket);
    socket.close();
  }

  lost(socket) {
    if (socket !== this.socket) return;
    this.socket = null;
    clearTimeout(this.limit);
    clearInterval(this.pings);
    for (const { reject } of this.waiting.values()) reject(new Error(""));
    this.waiting.clear();
    this.onLink("lost");
    // The delay is random, so that many pages do not reconnect at the same moment.
    const wait = this.wait * (0.8 + 0.4 * Math.random());
    this.retry = setTimeout(() => this.open(), wait);
    this.wait = Math.min(LONGEST_WAIT_MS, this.wait * 2);
  }

  /** Reconnect with this browser's current cookies. */
  reopen() {
    if (this.socket) this.drop(this.socket);
    this.hurry();
  }

  /** Connect without further delay, because somebody looks at the page or the network is back. */
  hurry() {
    if (this.socket?.readyState === WebSocket.OPEN) return;
    if (this.socket) this.drop(this.socket);
    this.wait = FIRST_WAIT_MS;
    this.open();
  }

  receive(message) {
    if (message.type !== "done" && message.type !== "error") {
      this.onMessage(message);
      // The snapshot has arrived, so the page is up to date.
      if (message.type === "snapshot") this.onLink("open");
      return;
    }
    const asked = this.waiting.get(message.ref);
    this.waiting.delete(message.ref);
    if (!asked) return;
    clearTimeout(asked.timer);
    if (message.type === "done") asked.resolve();
    else asked.reject(new Error(message.say));
  }

  /** Send a request. Resolves when it is done, and rejects with a sentence for people.
   * @param {Wire.Command} message @returns {Promise<void>} */
  ask(message) {
    return new Promise((resolve, reject) => {
      if (this.socket?.readyState !== WebSocket.OPEN) {
        reject(new Error(""));
        return;
      }
      const ref = ++this.ref;
      const timer = setTimeout(() => {
        this.waiting.delete(ref);
        reject(new Error(""));
      }, ANSWER_MS);
      this.waiting.set(ref, { resolve, reject, timer });
      this.socket.send(JSON.stringify({ ...message, ref }));
    });
  }
}
