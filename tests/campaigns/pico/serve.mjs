// One emulated Pico as a process: a line of JSON in is an order, a line out is its answer, and
// before that come its questions, each of which is answered by a line in. Arguments: one JSON
// object.
import fs from "node:fs";
import { Pico } from "./chip.mjs";

const given = JSON.parse(process.argv[2]);
const file = (name) => name && fs.readFileSync(name);
let rest = Buffer.alloc(0), happened = [];
const piece = Buffer.alloc(1 << 16);

function heard() {
  for (;;) {
    const end = rest.indexOf(10);
    if (end >= 0) {
      const line = rest.subarray(0,
        end); rest = rest.subarray(end + 1); return JSON.parse(line);
    }
    const size = fs.readSync(0, piece);
    if (!size) process.exit(0);
    rest = Buffer.concat([rest, piece.subarray(0, size)]);
  }
}
function said(what) {
  const text = Buffer.from(`${JSON.stringify(what)}\n`);
  for (let at = 0; at < text.length;) at += fs.writeSync(1, text, at);
}

const pico = new Pico({
  ...given,
  ...{ bootrom: file(given.bootrom), firmware: file(given.firmware), files: file(given.files) },
  ask: (what, value) => { said({ ask: what, ns: pico.now, value }); return heard(); },
  tell: (what, value) => happened.push([pico.now, what, value]),
});
for (;;) {
  const order = heard();
  if (order.pins) pico.drive(order.pins);
  if (order.power) pico.power();
  if (order.hang) pico.chip.core.executeInstruction = () => 12_500; // until the watchdog bites
  if (order.line) pico.put(Buffer.from(order.line, "hex"));
  if (order.save) fs.writeFileSync(order.save, pico.flash.subarray(given.filesAt));
  if (order.until) pico.run(order.until);
  const { now: ns, hz, feeds, boots, online, busy, slept } = pico;
  said({ ns, happened, hz, feeds, boots, online, busy, slept, overruns: pico.uart.overruns,
    spi_hz: pico.chip.spi[0].clockFrequency });
  happened = [];
}
