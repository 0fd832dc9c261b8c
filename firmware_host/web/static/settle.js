// Lets the table's hand carry out what a move has caused, one piece after the other.

/** Do every shift that the table still waits for. Rejects with a sentence where one fails. */
export async function carryOutShifts(store, ask) {
  let waiting = [...store.snapshot.shifts];
  while (waiting.length) {
    const taken = new Set(waiting.map((shift) => shift.source));
    // what goes where another still stands waits for it
    const next = waiting.find((shift) => !taken.has(shift.target)) ?? waiting[0];
    waiting = waiting.filter((shift) => shift !== next);
    await carryOut(store, ask, next);
  }
}

async function carryOut(store, ask, { piece, source, target }) {
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
