// From the screen to the plate: the projective map given by the plate's four corners.

/** The 3x3 map (row by row) that takes the unit square's corners to `p` (00, 10, 11, 01). */
function fromUnitSquare(p) {
  const [a, b, c, d] = p;
  const sx = a.x - b.x + c.x - d.x;
  const sy = a.y - b.y + c.y - d.y;
  const dx1 = b.x - c.x;
  const dx2 = d.x - c.x;
  const dy1 = b.y - c.y;
  const dy2 = d.y - c.y;
  const det = dx1 * dy2 - dx2 * dy1;
  const g = (sx * dy2 - dx2 * sy) / det;
  const k = (dx1 * sy - sx * dy1) / det;
  return [b.x - a.x + g * b.x, d.x - a.x + k * d.x, a.x, b.y - a.y + g * b.y, d.y - a.y + k * d.y, a.y, g, k, 1];
}

function invert([a, b, c, d, e, f, g, h, i]) {
  return [e * i - f * h, c * h - b * i, b * f - c * e, f * g - d * i, a * i - c * g, c * d - a * f, d * h - e * g, b * g - a * h, a * e - b * d];
}

function apply(m, x, y) {
  const w = m[6] * x + m[7] * y + m[8];
  return { x: (m[0] * x + m[1] * y + m[2]) / w, y: (m[3] * x + m[4] * y + m[5]) / w };
}

/** Maps between client pixels and mm on a plane whose corners are at `corners` on the screen:
 * south-west, south-east, north-east, north-west. `frame`: where its sides are, in mm. */
export class PlaneMap {
  constructor(corners, frame) {
    this.frame = frame;
    this.toPlaneMap = invert(fromUnitSquare(corners));
  }

  toPlane(clientX, clientY) {
    const { x, y } = apply(this.toPlaneMap, clientX, clientY);
    const { west, south, east, north } = this.frame;
    return { x: west + x * (east - west), y: south + y * (north - south) };
  }
}
