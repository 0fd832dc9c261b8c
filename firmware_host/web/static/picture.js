// A picture of the position on the screen, and a short film of the last move or fall, to keep or to
// send.
import { shown, viewBox } from "/static/boards.js";
import { button, disable, h, s, svgSource, t } from "/static/page.js";
import { marble } from "/static/marble.js";
import { paired } from "/static/pieces.js";
import { HEXAGON, SQUARE } from "/static/plate.js";

const STYLE = "text{font:8px sans-serif;text-anchor:middle;fill:#e4f1ee}";
const PIECE_MM = 29;
const WIDE = 960;
const PER_S = 25;
const [STANDS_MS, MOVES_MS] = [600, 1100]; // Time before and after the move, and time of the move.
const FILMS = ["video/mp4", "video/webm"];

/** Copy an element with its computed style, so that it looks the same outside the page. */
function asSeen(element) {
  const copy = element.cloneNode(false);
  const { fill, stroke, strokeWidth, opacity } = getComputedStyle(element);
  Object.assign(copy.style, { fill, stroke, strokeWidth, opacity });
  copy.append(...[...element.children].map(asSeen));
  return copy;
}

/** Make an image from a separate SVG document that contains the drawings of pieces. */
async function imageOf(frame, ...parts) {
  const { west, south, east, north } = frame;
  const drawn = s("svg",
    { viewBox: viewBox(frame), width: WIDE, height: WIDE * (north - south) / (east - west) },
    s("style", {}, STYLE), document.querySelector(".sprite").cloneNode(true), parts);
  const image = new Image();
  image.src = svgSource(new XMLSerializer().serializeToString(drawn));
  await image.decode();
  return image;
}

const pieceAt = (piece, game, { x, y }) =>
  marble(piece, game,
    { x: x - PIECE_MM / 2, y: -y - PIECE_MM / 2, width: PIECE_MM, height: PIECE_MM });

/** @param {Store} store */
const centre = (store, place) => store.centreOf(store.indexOf(place));

/** Draw wood, felt, places, tracks and pieces from above, within the store's frame.
 * @param {Store} store */
export function smallBoard(store, cells, tracks = []) {
  const { game, layout, frame: { west, south, east, north } } = store;
  const corners = (game.hexagonal ? HEXAGON : SQUARE)
    .map((corner) => corner.map((part) => part * layout.pitch_mm));
  const places = Object.entries(game.board).map(([place, { blocked }]) => {
    const { x, y } = centre(store, place);
    const points = corners.map(([dx, dy]) => `${x + dx},${-y - dy}`).join(" ");
    return s("g", {}, game.drawing ? null
      : s("polygon", { points, fill: "#263332", stroke: "#0b1111" }),
    s("circle", { cx: x, cy: -y, r: 14, fill: blocked ? "#000" : "#3b4a49", stroke: "#8fb0ab",
      "stroke-width": 0.7 }),
    s("text", { x, y: -y + 3, opacity: 0.6 }, store.label(place)));
  });
  return [
    s("rect",
      { x: west, y: -north, width: east - west, height: north - south, rx: 8, fill: "#b67c43" }),
    s("rect", { x: west + 8, y: 8 - north, width: east - west - 16, height: north - south - 16,
      fill: "#192322" }),
    ...tracks, ...places,
    ...Object.entries(cells).map(([place, piece]) => pieceAt(piece, game, centre(store, place)))];
}

/** @param {Store} store */
const board = (store, plate, cells) =>
  imageOf(store.frame,
    ...smallBoard(store, cells, plate.extra?.tracks ? [asSeen(plate.extra.element)] : []));

/** Share a file if the device can, else download it. */
async function send(blob, name, title) {
  const file = new File([blob], name, { type: blob.type });
  if (navigator.canShare?.({ files: [file] })) {
    // The person has cancelled.
    await navigator.share({ files: [file], title }).catch(() => {});
    return;
  }
  const link = h("a", { href: URL.createObjectURL(file), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Return the path of each changed piece: {piece, from, to}, with null for a piece that comes or
 * leaves.
 * @param {Store} store */
function ways(store, before, now) {
  const changed = (some, others) =>
    Object.keys(some).filter((place) => some[place] !== others[place])
      .map((place) => ({ piece: some[place], ...centre(store, place) }));
  const gone = changed(before, now);
  const moved = paired(changed(now, before), gone)
    .map(([to, from]) => ({ piece: to.piece, from, to }));
  return [...moved, ...gone.map((from) => ({ piece: from.piece, from, to: null }))];
}

/** Record a canvas as a film until `ends` resolves. */
async function filmed(canvas, ends) {
  const recorder = new MediaRecorder(canvas.captureStream(PER_S),
    { mimeType: FILMS.find((type) => MediaRecorder.isTypeSupported(type)) });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
  recorder.start();
  await ends;
  recorder.stop();
  await stopped;
  return new Blob(parts, { type: recorder.mimeType.split(";")[0] });
}

export const films = "MediaRecorder" in window
  && FILMS.some((type) => MediaRecorder.isTypeSupported(type));

/** Record a film until `ends` resolves, and send it; `name` is the file's name without its ending.
 * */
export async function sendFilm(canvas, ends, name, title) {
  const blob = await filmed(canvas, ends);
  await send(blob, `${name}.${blob.type.split("/")[1]}`, title);
}

/** Film the move that led from one position to the next.
 * @param {Store} store */
async function filmMove(store, plate, before, now) {
  const { game, frame: { west, east, north } } = store;
  const moved = ways(store, before, now);
  const stays = Object.fromEntries(Object.entries(now)
    .filter(([place, piece]) => before[place] === piece));
  const ground = await board(store, plate, stays);
  const round = { west: -PIECE_MM / 2, south: -PIECE_MM / 2, east: PIECE_MM / 2,
    north: PIECE_MM / 2 };
  /** @type {Array<[string, any]>} */
  const images = await Promise.all([...new Set(moved.map(({ piece }) => piece))]
    .map(async (piece) => [piece, await imageOf(round, pieceAt(piece, game, { x: 0, y: 0 }))]));
  const drawn = new Map(images);
  const canvas = h("canvas", { width: ground.width, height: ground.height });
  const scale = ground.width / (east - west);
  const context = canvas.getContext("2d");
  const draw = (all) => {
    context.drawImage(ground, 0, 0);
    for (const { piece, from, to } of moved) {
      // A piece that is put down moves first and pushes the others.
      const share = Math.max(0, Math.min(1, from ? 2 * all - 1 : 2 * all));
      const [a, b] = [from ?? to, to ?? from];
      const size = PIECE_MM * scale * (1 + (from ? 0 : 1 - share) + (to ? 0 : share));
      context.globalAlpha = to ? from ? 1 : Math.min(1, share * 2) : 1 - share;
      context.drawImage(drawn.get(piece), (a.x + (b.x - a.x) * share - west) * scale - size / 2,
        (north - a.y - (b.y - a.y) * share) * scale - size / 2, size, size);
    }
    context.globalAlpha = 1;
  };
  const begun = performance.now();
  /** @type {Promise<void>} */
  const ends = new Promise((resolve) => {
    const step = () => {
      const share = Math.max(0, Math.min(1, (performance.now() - begun - STANDS_MS) / MOVES_MS));
      draw(share * share * (3 - 2 * share));
      if (performance.now() - begun < 2 * STANDS_MS + MOVES_MS) setTimeout(step, 1000 / PER_S);
      else resolve();
    };
    step();
  });
  await sendFilm(canvas, ends, `tiltboard-${game.name}`, game.title);
}

/** Make two buttons: a picture of the position on the screen, and a film of the last move.
 * @param {Store} store */
export function pictureButtons(store, plate) {
  const picture = async () => {
    const { game, snapshot, review } = store;
    const image = await board(store, plate, shown(store).cells);
    const canvas = h("canvas", { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    canvas.toBlob((blob) =>
      send(blob, `tiltboard-${game.name}-${review ? review.ply : snapshot.game.moves.length}.png`,
        game.title));
  };
  const film = async ({ currentTarget: made }) => {
    disable(made, t("One moment, please."));
    const [before, now] = store.moved;
    await filmMove(store, plate, before, now);
    disable(made, "");
  };
  const buttons = [button("share", t("Picture"), picture, { class: "picture" }),
    button("film", t("Film of the move"), film, { class: "picture film" })];
  store.listen(() => {
    buttons[0].hidden = !store.game || !store.frame;
    buttons[1].hidden = !films || !store.frame || !store.moved;
  });
  return buttons;
}
