// A picture of the position that is shown, to keep or to send: drawn on the page, a PNG, as every phone shows.
import { shown } from "/static/boards.js";
import { button, h, s, t } from "/static/page.js";
import { marble } from "/static/marble.js";
import { HEXAGON, SQUARE } from "/static/plate.js";

const STYLE = `.mark{fill:none;stroke:currentColor;stroke-width:7.5;stroke-linecap:round;stroke-linejoin:round}
.mark.dot{fill:currentColor;stroke:none}text{font:8px sans-serif;text-anchor:middle;fill:#e4f1ee}`;
const PIECE_MM = 29;

/** A copy that looks as its original does on the page, wherever it is put. */
function asSeen(element) {
  const copy = element.cloneNode(false);
  const { fill, stroke, strokeWidth, opacity } = getComputedStyle(element);
  Object.assign(copy.style, { fill, stroke, strokeWidth, opacity });
  copy.append(...[...element.children].map(asSeen));
  return copy;
}

/** The drawing, as the text of an SVG: felt, places, tracks and pieces, seen from above. */
function drawing(store, plate) {
  const { game, layout, frame: { west, south, east, north } } = store;
  const { cells, result } = shown(store);
  const centre = (place) => store.centreOf(store.indexOf(place));
  const corners = (game.hexagonal ? HEXAGON : SQUARE).map((corner) => corner.map((part) => part * layout.pitch_mm));
  const places = Object.entries(game.board).map(([place, { blocked }]) => {
    const { x, y } = centre(place);
    const points = corners.map(([dx, dy]) => `${x + dx},${-y - dy}`).join(" ");
    return s("g", {}, game.drawing ? null : s("polygon", { points, fill: "#263332", stroke: "#0b1111" }),
      s("circle", { cx: x, cy: -y, r: 14, fill: blocked ? "#000" : "#3b4a49", stroke: "#8fb0ab", "stroke-width": 0.7 }),
      s("text", { x, y: -y + 3, opacity: 0.6 }, store.label(place)));
  });
  const tracks = plate.extra?.tracks ? asSeen(plate.extra.element) : null;
  const pieces = Object.entries(cells).map(([place, piece]) => {
    const { x, y } = centre(place);
    const ball = marble(piece, game);
    for (const [name, value] of Object.entries({ x: x - PIECE_MM / 2, y: -y - PIECE_MM / 2, width: PIECE_MM, height: PIECE_MM })) ball.setAttribute(name, value);
    return ball;
  });
  const drawn = s("svg", { viewBox: `${west} ${-north} ${east - west} ${north - south}`, width: 960, height: 960 * (north - south) / (east - west) },
    s("title", {}, result ? `${game.title}: ${store.snapshot.say}` : game.title), s("style", {}, STYLE),
    document.querySelector(".sprite defs").cloneNode(true), [...document.querySelectorAll(".sprite symbol")].map((each) => each.cloneNode(true)),
    s("rect", { x: west, y: -north, width: east - west, height: north - south, rx: 8, fill: "#b67c43" }),
    s("rect", { x: west + 8, y: 8 - north, width: east - west - 16, height: north - south - 16, fill: "#192322" }),
    tracks, places, pieces);
  return new XMLSerializer().serializeToString(drawn);
}

async function picture(store, plate) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([drawing(store, plate)], { type: "image/svg+xml" }));
  await image.decode();
  URL.revokeObjectURL(image.src);
  const canvas = h("canvas", { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  return new Promise((resolve) => canvas.toBlob(resolve));
}

/** Sends it where the device knows how to, else keeps it as a file. */
async function share(store, plate) {
  const { game, snapshot, review } = store;
  const name = `tiltboard-${game.name}-${review ? review.ply : snapshot.moves.length}.png`;
  const file = new File([await picture(store, plate)], name, { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) {
    await navigator.share({ files: [file], title: game.title }).catch(() => {}); // somebody thought better of it
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function pictureButton(store, plate) {
  const made = button("share", t("Picture"), () => share(store, plate), { class: "picture" });
  store.listen(() => { made.hidden = !store.game || !store.frame; });
  return made;
}
