// What this browser remembers for its person: theme, sound, tab. Nothing about the game.

/** The remembered value, or `otherwise` where there is none or the browser keeps nothing. */
export function remembered(name, otherwise) {
  try {
    return localStorage.getItem(`tiltboard.${name}`) ?? otherwise;
  } catch { return otherwise; }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`tiltboard.${name}`, value);
  } catch {
    // not kept; the choice holds until the page is closed
  }
}
