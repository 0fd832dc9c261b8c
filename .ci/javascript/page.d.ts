// Types that the page's comments name. Those of what the server sends and takes are in wire.d.ts.

type Store = import("../../firmware_host/web/static/store.js").Store;
type Group = "game" | "guidance" | "plate" | "players" | "learning";
/** What a listener of the store may wait for: a field of a group of the snapshot, a group that may
 * be null, or something of this page alone. */
type Change = { [G in Group]: `${G}.${Extract<keyof Wire.Snapshot[G], string>}` }[Group]
  | "layout" | "snapshot" | "seats" | "match" | "seat" | "mine" | "link" | "watching" | "review" | "holding"
  | "hint" | "moved" | "players" | "frame" | "preview" | "falling" | "working" | "gripped"
  | "waiting" | "camera" | "own-hand" | "pointed" | "tilting";
/** Sends a command; the page tells of a refusal elsewhere. */
type Send = (command: Wire.Command) => void;
/** Asks the table; rejected with the table's sentence if it refuses. */
type Ask = (command: Wire.Command) => Promise<void>;
/** What of the plate is drawn, in mm from its middle. */
interface Frame { west: number; south: number; east: number; north: number }
/** An earlier position that is looked at: the game's record, and how many of its moves are made. */
interface Review { record: any; ply: number }
/** A piece as it is drawn, in mm from the plate's middle; `number` where the table knows each piece. */
interface PieceDrawn { id: string; number?: number; piece: string; x: number; y: number; z: number }
