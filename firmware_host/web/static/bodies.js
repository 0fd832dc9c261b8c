// Meshes of the plate and the pieces, and the marks on them.

import { SIGNS } from "/static/marble.js";
import { unit } from "/static/solids.js";

const CELL = 192; // Width of a mark's cell in pixels.
// Width of a mark's cell, in hundredths of a piece's width; the shader in solids.js uses the same.
const SHOWN = 70;
// The marks are drawn in drawings.svg.
const MARKS = new Map([...document.querySelectorAll("[id^=mark-]")]
  .map((mark) => [mark.id.slice(5), mark.getAttribute("d")]));
const CELLS = [...MARKS.keys(), ...Object.keys(SIGNS)];

export const MARK_COUNT = CELLS.length;

/** Return the cell of a mark or of a role's sign in the marks' picture, or -1 if it has none. */
export const cellOf = (name) => CELLS.indexOf(name);

/** Draw all marks in one picture: marks in red, signs in red on a green disc. The shader replaces
 * both colours. */
export function marksPicture() {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: CELL * CELLS.length, height: CELL });
  const pen = canvas.getContext("2d");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.globalCompositeOperation = "lighter";
  Object.assign(pen, { lineWidth: 8, lineCap: "round", lineJoin: "round", textAlign: "center",
    textBaseline: "middle" });
  CELLS.forEach((name, at) => {
    pen.setTransform(CELL / SHOWN, 0, 0, CELL / SHOWN, (at + 0.5) * CELL, CELL / 2);
    pen.strokeStyle = "#f00";
    pen.fillStyle = "#f00";
    if (MARKS.has(name)) {
      pen[name === "dot" ? "fill" : "stroke"](new Path2D(MARKS.get(name)));
      return;
    }
    pen.fillStyle = "#0f0";
    pen.beginPath();
    pen.arc(0, 0, 33, 0, 7);
    pen.fill();
    pen.fillStyle = "#f00";
    pen.font = "800 50px sans-serif";
    pen.fillText(SIGNS[name], 0, 3);
  });
  return canvas;
}

/** Make a body of revolution about z. `lines` are smooth stretches of its outline, each a list of
 * [radius, z] from below upwards. `squareness` 2 is round, and larger values are squarer. `uv` is
 * x and y divided by the largest radius. */
function lathe(lines, sides = 24, squareness = 2) {
  const widest = Math.max(...lines.flat().map(([r]) => r));
  const corners = [];
  const triangles = [];
  for (const line of lines) {
    line.forEach(([r, z], at) => {
      const [below, above] = [line[Math.max(0, at - 1)], line[Math.min(line.length - 1, at + 1)]];
      const [out, up] = unit([above[1] - below[1], below[0] - above[0]]);
      for (let side = 0; side <= sides; side += 1) {
        const angle = (2 * Math.PI * (side + 0.5)) / sides;
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        const far = (Math.abs(c) ** squareness + Math.abs(s) ** squareness) ** (-1 / squareness);
        const [nx, ny] = unit([c, s]
          .map((each) => Math.sign(each) * Math.abs(each) ** (squareness - 1)));
        const [x, y] = [r * far * c, r * far * s];
        const first = corners.length / 8;
        corners.push(x, y, z, nx * out, ny * out, up, x / widest, y / widest);
        if (at + 1 === line.length || side === sides) continue;
        const next = first + sides + 1;
        if (r > 0) triangles.push(first, first + 1, next + 1);
        if (above[0] > 0) triangles.push(first, next + 1, next);
      }
    });
  }
  return { corners, triangles };
}

/** Make a box over a rectangle, or only its top, or only its other faces. `uv` is x and y. */
export function slab({ west, south, east, north }, low, high, faces = "all") {
  const corners = [];
  const triangles = [];
  const face = (normal, ...four) => {
    const first = corners.length / 8;
    for (const corner of four) corners.push(...corner, ...normal, corner[0], corner[1]);
    triangles.push(...[0, 1, 2, 0, 2, 3].map((at) => first + at));
  };
  const [under, over] = [low, high]
    .map((z) => [[west, south, z], [east, south, z], [east, north, z], [west, north, z]]);
  if (faces !== "others") face([0, 0, 1], ...over);
  if (faces !== "top") {
    face([0, 0, -1], ...[...under].reverse());
    [[0, -1, 0], [1, 0, 0], [0, 1, 0], [-1, 0, 0]].forEach((normal, at) =>
      face(normal, under[at], under[(at + 1) % 4], over[(at + 1) % 4], over[at]));
  }
  return { corners, triangles };
}

/** Return the outline of a ball about its centre, from its lowest point (`from` -1) or its equator
 * (0) to its top. */
function arc(r, from) {
  return Array.from({ length: 13 }, (_, n) => (Math.PI / 2) * (from + ((1 - from) * n) / 12))
    .map((angle) => [Math.max(0, r * Math.cos(angle)), r * Math.sin(angle)]);
}

// Outlines of pieces, which stand on a disc of 28 x 15 mm whose centre is at z = 0.
const OUTLINES = {
  ball: [arc(14, -1)],
  // A flattened ball, for one that carries another piece.
  under: [[[0, -7.5], [12.8, -7.5]],
    [[12.8, -7.5], [14, -6], [14, 2], [13.2, 5], [11, 6.9], [8, 7.5]], [[8, 7.5], [0, 7.5]]],
  stone: [[[0, -7.5], [9, -7.5]],
    [[9, -7.5], [13, -4], [14, 0], [13, 4], [9.5, 6.6], [5, 7.4], [0, 7.5]]],
  tile: [[[0, -7.5], [12.2, -7.5], [13, -6.7]], [[13, -6.7], [13, 6.5]], [[13, 6.5], [12, 7.5]],
    [[12, 7.5], [0, 7.5]]],
  ship: [[[0, -7.5], [13, -7.5]],
    [[13, -7.5], [13.6, -6], [9, -1], [8.4, 5], [8, 11], [6, 17], [3, 22], [0, 25]]],
  pod: [[[0, -7.5], [10.5, -7.5]],
    [[10.5, -7.5], [12.4, -3], [12, 1], [9.5, 5], [5, 7.2], [0, 7.5]]],
};

// Sizes of pegs and wall between sliding tiles, in mm (docs/games/gravity-connect.md). The wall is
// drawn lower than the real one, which would hide the slots' names. The radius of a peg is that of
// tiltboard.games.base.peg_mm.
export const pegOf = (pitch) => (pitch - 20.6) / 2;
export const WALL = { thick: 3, high: 3.5 };

/** Return where the pegs and the wall around them are. `places` are the centres of the board's
 * places. */
export function lanes(places, pitch) {
  const [xs, ys] = ["x", "y"]
    .map((axis) => [...new Set(places.map((place) => place[axis]))].sort((a, b) => a - b));
  const pegs = xs.slice(1)
    .flatMap((x) => ys.slice(1).map((y) => ({ x: x - pitch / 2, y: y - pitch / 2 })));
  const [west, east, south, north] = [xs[0], xs.at(-1), ys[0], ys.at(-1)]
    .map((at, side) => at + (side % 2 ? pitch : -pitch) / 2);
  return { pegs, west, east, south, north };
}

/** Make the wall around the pegs. */
export function wall({ west, south, east, north }) {
  const t = WALL.thick;
  const [low, high] = [{ west: west - t, east: east + t }, { south, north }];
  const sides = [{ ...low, south: south - t, north: south },
    { ...low, south: north, north: north + t }, { ...high, west: west - t, east: west },
    { ...high, west: east, east: east + t }];
  return joined(...sides.map((side) => [slab(side, 0, WALL.high)]));
}

/** Make a peg: half a ball. */
export const peg = (r) => lathe([arc(r, 0)], 16);

/** Make a cylinder of that radius and height. */
export const post = (radius, height, sides = 24) =>
  lathe([[[0, -height / 2], [radius, -height / 2]], [[radius, -height / 2], [radius, height / 2]],
    [[radius, height / 2], [0, height / 2]]], sides);

/** Join shapes into one. Each part is [shape, x, y, z] with the offsets of that shape. */
function joined(...parts) {
  const all = { corners: [], triangles: [] };
  for (const [{ corners, triangles }, ...by] of parts) {
    const first = all.corners.length / 8;
    all.corners.push(...corners.map((value, at) => value + (by[at % 8] ?? 0)));
    all.triangles.push(...triangles.map((at) => at + first));
  }
  return all;
}

const PLINTH = lathe([[[0, -7.5], [13.4, -7.5]], [[13.4, -7.5], [14, -6.8], [14, -5.6], [13.4, -5]],
  [[13.4, -5], [0, -5]]]);
const box = (long, low, high, across) =>
  slab({ west: -long, south: -across, east: long, north: across }, low, high);
/** Make a swept wing from boxes that become shorter toward its tip. */
const wing = (side) =>
  [0, 1, 2, 3].map((n) => [box(6 - n * 1.2, 0, 1.6, 1.4), -1 - n * 2, side * (3 + n * 2.5), -1]);
const TROOPS = { // Each is as high as other pieces and flat on top, so that pieces can stand on it.
  tank: () => joined([PLINTH], [box(10, -3.5, 1.5, 6.4)], [box(12, -5, -0.5, 2.6), 0, 8],
    [box(12, -5, -0.5, 2.6), 0, -8], [post(6.2, 6), -1.5, 0, 4.5], [box(6.5, 3, 5.6, 1.4), 9.5]),
  fighter: () => joined([PLINTH], [post(2.2, 5, 12), 0, 0, -2.5], [box(11, -1.5, 2.5, 2.4), -1],
    [lathe([[[2.8, 0], [2, 2], [0, 4]]], 12), 3, 0, 2.4], ...wing(1), ...wing(-1),
    [box(3, 2, 7.5, 0.8), -8.5]),
  ship: () => joined([PLINTH], [post(4, 4, 12), 0, 0, -3.2],
    [lathe([[[0, -2.5], [6, -2.2], [13.6, 0.6]], [[13.6, 0.6], [13.4, 1.8], [7.5, 3.6]],
      [[7.5, 3.6], [6.6, 6], [4, 7.3], [0, 7.5]]])]),
};

/** Return the form of a troop, or undefined for other pieces. */
export const troopOf = (piece) =>
  (piece.split("-")[1] in TROOPS ? `troop-${piece.split("-")[1]}` : undefined);

/** Make the body of a piece from its form. */
export const bodyOf = (form) => TROOPS[form.slice(6)]?.()
  ?? lathe(OUTLINES[form], form === "tile" ? 32 : 24, form === "tile" ? 7 : 2);
