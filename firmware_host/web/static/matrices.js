// Vectors, quaternions, and matrices of four by four, column by column; lengths in mm, z up.

export const times = (a, b) => {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column += 1) {
    for (let row = 0; row < 4; row += 1) {
      let sum = 0;
      for (let k = 0; k < 4; k += 1) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
};

export const moved = (x, y, z) => new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1]);

export function turned(w, x, y, z) {
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, 0, 0, 0, 1,
  ]);
}

/** One turn after another, in turned axes; quaternions [w, x, y, z]. */
export const after = ([a, b, c, d], [e, f, g, h]) => [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];

/** About x, then about the turned y, then about the turned z; radians. */
export const attitude = (angles) => angles.map((angle, axis) => {
  const turn = [Math.cos(angle / 2), 0, 0, 0];
  turn[axis + 1] = Math.sin(angle / 2);
  return turn;
}).reduce(after);

export const minus = (a, b) => a.map((each, at) => each - b[at]);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = (a) => a.map((each) => each / Math.hypot(...a));

/** A point or (`w` 0) a direction through a matrix that only turns and moves; `back`: the other way. */
export function through(m, [x, y, z], w = 1) { return [0, 1, 2].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row] * w); }
export function back(m, p, w = 1) {
  const away = minus(p, [m[12] * w, m[13] * w, m[14] * w]);
  return [0, 1, 2].map((column) => dot([m[4 * column], m[4 * column + 1], m[4 * column + 2]], away));
}

export function looking(from, at) {
  const z = unit(minus(from, at));
  const x = unit(cross([0, 0, 1], z));
  const y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, from), -dot(y, from), -dot(z, from), 1]);
}

export function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0]);
}

export function orthographic(half, near, far) {
  return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1]);
}
