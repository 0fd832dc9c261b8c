// Runs the firmware in the WebAssembly build of MicroPython. Reads one JSON object per line, {us,
// rx, set}, lets the firmware do one step at that time, and answers {tx, strip, tone, feeds}.
// {restart} and {boot} do what they say. Arguments: the interpreter's module, the folder of the
// firmware, the file with the stand-ins, and the line that the firmware uses.
import { readFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [interpreter, firmware, standIns, serialLine] = process.argv.slice(2);
const { loadMicroPython } = await import(pathToFileURL(interpreter));
const mp = await loadMicroPython({ stdout: (line) => process.stderr.write(`${line}\n`),
  linebuffer: true });
mp.FS.mkdir("/node_firmware");
for (const name of readdirSync(firmware)) {
  if (!name.endsWith(".py")) continue;
  // This build has no native compiler: what is for it runs as bytecode (test_node_native.py has the
  // rest).
  const text = readFileSync(`${firmware}/${name}`, "utf-8")
    .replaceAll(/^@micropython\.viper$/gm, "");
  mp.FS.writeFile(`/node_firmware/${name}`, text);
}
mp.FS.writeFile("/main.py", readFileSync(`${firmware}/main.py`));
mp.runPython("import sys; sys.path.append('/')");
mp.globals.set("LINE", serialLine);
mp.runPython(readFileSync(standIns, "utf-8"));
const [turn, restart, boot] = ["turn", "restart", "boot"].map((name) => mp.globals.get(name));
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  let answer;
  if ("boot" in asked) answer = JSON.stringify(boot(asked.boot));
  else if ("restart" in asked) answer = JSON.stringify(restart() ?? null);
  else answer = turn(asked.us, asked.rx, JSON.stringify(asked.set));
  process.stdout.write(`${answer}\n`);
}
