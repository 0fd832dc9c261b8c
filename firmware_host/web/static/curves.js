// Tracks of a board on the plate: smooth curves, whole or between two of their places.

/** `toPlate(x, y)`: where a point of the drawing is, in mm on the plate. */
export class Tracks {
  constructor(drawing, toPlate) {
    this.toPlate = toPlate;
    this.tracks = drawing.tracks.map((points, number) => ({ points, places: drawing.places[number] }));
  }

  point([x, y]) {
    const at = this.toPlate(x, y);
    return `${at.x.toFixed(2)} ${(-at.y).toFixed(2)}`;
  }

  /** The path of a track from its place number `from` on to number `to`, forward. */
  stretch({ points }, from, to) {
    const [first, ...rest] = points.slice(3 * from, 3 * to + 1);
    return `M${this.point(first)}C${rest.map((p) => this.point(p)).join(" ")}`;
  }

  whole() { return this.tracks.map((track) => this.stretch(track, 0, track.places.length - 1)); }

  /** Points along every track, in mm on the plate, close enough for its extent. */
  along() {
    const steps = 8; // of each stretch between two places
    return this.tracks.flatMap(({ points, places }) => Array.from({ length: steps * (places.length - 1) }, (_, at) => {
      const [u, v] = [(at % steps) / steps, 1 - (at % steps) / steps];
      const weights = [v ** 3, 3 * v * v * u, 3 * v * u * u, u ** 3];
      const [x, y] = [0, 1].map((axis) => weights.reduce((sum, weight, n) => sum + weight * points[3 * Math.floor(at / steps) + n][axis], 0));
      return this.toPlate(x, y);
    }));
  }

  through(place) {
    return this.tracks.map(({ places }) => places.includes(place));
  }

  joined(a, b) {
    return a !== b && this.tracks.some(({ places }) => places.includes(a) && places.includes(b));
  }

  /** The shortest way along one track, from `a` to `b`; null where none joins them. */
  between(a, b) {
    let best = null;
    for (const track of this.tracks) {
      const from = track.places.indexOf(a);
      const to = track.places.indexOf(b);
      if (from < 0 || to < 0 || from === to) continue;
      const length = Math.abs(to - from);
      if (best && best.length <= length) continue;
      best = { length, d: from < to ? this.stretch(track, from, to) : this.backward(track, to, from) };
    }
    return best?.d ?? null;
  }

  backward({ points }, from, to) {
    const [first, ...rest] = points.slice(3 * from, 3 * to + 1).reverse();
    return `M${this.point(first)}C${rest.map((p) => this.point(p)).join(" ")}`;
  }
}
