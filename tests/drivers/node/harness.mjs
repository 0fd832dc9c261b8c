// Runs the firmware in the WebAssembly build of MicroPython. Reads one JSON object per line, {us, rx,
// set}, lets the firmware do one step at that time, and answers {tx, strip, tone}.
// Arguments: the interpreter's module, the folder of the firmware, the file with the stand-ins.
import { readFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [interpreter, firmware, standIns] = process.argv.slice(2);
const { loadMicroPython } = await import(pathToFileURL(interpreter));
const mp = await loadMicroPython({ stdout: (line) => process.stderr.write(line + "\n"), linebuffer: true });
mp.FS.mkdir("/node_firmware");
for (const name of readdirSync(firmware)) {
  if (name.endsWith(".py")) mp.FS.writeFile(`/node_firmware/${name}`, readFileSync(`${firmware}/${name}`));
}
mp.runPython("import sys; sys.path.append('/')");
mp.runPython(readFileSync(standIns, "utf-8"));
const turn = mp.globals.get("turn");
for await (const line of createInterface({ input: process.stdin })) {
  const { us, rx, set } = JSON.parse(line);
  process.stdout.write(turn(us, rx, JSON.stringify(set)) + "\n");
}
