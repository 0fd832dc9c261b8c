// Lets the table's hand do what the lights ask for, one piece after the other.

const POLL_MS = 100;
const QUIET_POLLS = 7; // longer than a hand takes to leave and a reading to settle
const MOST_POLLS = 50;
const LEAVES = new Set(["wrong", "remove", "lift"]);

/** What is to be done now: [{piece, source, target}], null for the tray. */
function tasks(store) {
  const { snapshot } = store;
  if (snapshot.phase === "settle") return [...snapshot.shifts];
  const wanted = Object.entries(snapshot.piece_for);
  const moves = [];
  for (const [place, role] of Object.entries(snapshot.roles)) {
    const standing = LEAVES.has(role) && store.pieceAt(store.indexOf(place));
    if (!standing) continue;
    const at = wanted.findIndex(([, piece]) => piece === standing.piece);
    const [target] = at < 0 ? [null] : wanted.splice(at, 1)[0];
    moves.push({ piece: standing.piece, source: place, target });
  }
  return [...moves, ...wanted.map(([target, piece]) => ({ piece, source: null, target }))];
}

/** Do all of it. Rejects with a sentence where one thing fails. */
export async function carryOut(store, ask) {
  let done = "";
  for (let waiting = tasks(store); waiting.length; waiting = tasks(store)) {
    const now = JSON.stringify(waiting);
    if (now === done) return; // the table does not see it; it says what to do
    done = now;
    const { phase } = store.snapshot;
    await work(store, ask, waiting);
    if (phase === "settle") return; // all of it was known from the start
    // a place that had a wrong piece says only then what belongs there
    await quiet(store);
    if (store.snapshot.phase !== phase) return;
  }
}

/** Wait until the table has said the same for a moment. */
async function quiet(store) {
  const said = () => JSON.stringify([store.snapshot.phase, store.snapshot.roles]);
  let before = said();
  for (let same = 0, polls = 0; same < QUIET_POLLS && polls < MOST_POLLS; polls += 1) {
    await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
    const after = said();
    same = after === before ? same + 1 : 0;
    before = after;
  }
}

async function work(store, ask, tasksNow) {
  let waiting = tasksNow;
  while (waiting.length) {
    const taken = new Set(waiting.map((task) => task.source));
    // what goes where another still stands waits for it; in a ring, one gives way to its tray
    let next = waiting.find((task) => task.target === null || !taken.has(task.target));
    if (!next) {
      const { piece, source, target } = waiting[0];
      next = { piece, source, target: null };
      waiting.push({ piece, source: null, target });
    }
    waiting = waiting.filter((task) => task.source !== next.source || task.source === null);
    if (next.source === null) waiting = waiting.filter((task) => task.target !== next.target);
    await doOne(store, ask, next);
  }
}

async function doOne(store, ask, { piece, source, target }) {
  const to = target === null ? null : store.centreOf(store.indexOf(target));
  if (source === null) {
    await ask({ type: "put", kind: piece, x_mm: to.x, y_mm: to.y });
    return;
  }
  const standing = store.pieceAt(store.indexOf(source));
  if (!standing) return; // somebody was faster
  await ask({ type: "pick-up", piece: standing.number });
  if (to) await ask({ type: "set-down", piece: standing.number, x_mm: to.x, y_mm: to.y });
  else await ask({ type: "remove", piece: standing.number });
}
