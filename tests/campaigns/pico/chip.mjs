// A Raspberry Pi Pico (npm's rp2040js) as docs/wiring-node.md wires it. What is on its pins is
// asked for by messages to whoever started this; the Pico's own clock says when. Here is what
// rp2040js 1.4.1 has not, or has otherwise than the RP2040 data sheet ("RP"): the UART's FIFOs and
// its wire's time (RP 4.2), a PIO that keeps the chip's time (RP 3), flash that the boot ROM writes
// (RP 2.8.3), the flash's cache (RP 2.6.3), a watchdog's reset (RP 4.7), and a USB host that sends
// no empty packets.
import { BasePeripheral, ConsoleLogger, FIFO, LogLevel, Simulator, USBCDC } from "rp2040js";

const CLOCK_NS = 8; // 125 MHz
const WATCHDOG_LOAD = 4;
const CONVERTER_SELECT = 17, ADDRESS = [10, 11, 12, 13], STRIP = 22, BUZZER = 6, SDA = 4, SCL = 5;
const I2C_HZ = 400_000, I2C_TIMEOUT_NS = 49e6;
const CACHE_SETS = 1024, CACHE_LINE_BITS = 3; // two ways, lines of 8 bytes: 16 kB
const ERASE_NS = 45e6, PROGRAM_NS = 0.4e6; // of 4096 and of 256 bytes: W25Q16JV data sheet, typical

/** UART0: a PL011 with FIFOs of 32 bytes. `put` is what comes over the wire, `onByte` what goes. */
class Uart extends BasePeripheral {
  constructor(chip, irq) {
    super(chip, "UART0");
    Object.assign(this,
      { irq, divisor: 0, fraction: 0, lcr: 0, cr: 0x300, levels: 0x12, mask: 0, raw: 0 });
    Object.assign(this, { coming: [], rx: [], tx: [], overruns: 0, receives: false, sends: false });
    const alarm = (work) => chip.clock.createAlarm(work);
    this.rxAlarm = alarm(() => this.received());
    this.idleAlarm = alarm(() => this.rx.length && this.raise(0x40));
    this.txAlarm = alarm(() => this.sent());
  }

  get byteNs() { return (10e9 * (64 * this.divisor + this.fraction)) / (4 * this.rp2040.clkPeri); }
  level(code) { return [4, 8, 16, 24, 28][code & 7]; }
  raise(bits) { this.raw |= bits; this.check(); }
  check() { this.rp2040.setInterrupt(this.irq, (this.raw & this.mask) !== 0); }
  clkPeriChanged() {}
  put(bytes) { this.coming.push(...bytes); if (!this.receives) this.await(); }
  await() {
    this.receives = this.coming.length > 0;
    if (this.receives) this.rxAlarm.schedule(this.byteNs);
  }

  received() {
    const byte = this.coming.shift();
    if (this.rx.length < 32) this.rx.push(byte); else this.overruns++;
    if (this.rx.length >= this.level(this.levels >> 3)) this.raise(0x10);
    this.idleAlarm.schedule(3.2 * this.byteNs); // 32 bits of silence
    this.await();
  }

  next() {
    if (this.sends || !this.tx.length) return;
    this.sends = true; this.shifting = this.tx.shift(); this.txAlarm.schedule(this.byteNs);
    if (this.tx.length === this.level(this.levels)) this.raise(0x20);
  }

  sent() { this.sends = false; this.onByte(this.shifting); this.next(); }
  readUint32(offset) {
    const { rx, tx } = this;
    switch (offset) {
      case 0x00: {
        const byte = rx.shift() ?? 0;
        if (rx.length < this.level(this.levels >> 3)) this.raw &= ~0x10;
        if (!rx.length) this.raw &= ~0x40;
        this.check();
        return byte;
      }
      case 0x18: return (tx.length ? 0 : 0x80) | (rx.length >= 32 ? 0x40
        : 0) | (tx.length >= 32 ? 0x20 : 0) | (rx.length ? 0 : 0x10) | (this.sends ? 8 : 0);
      case 0x24: return this.divisor;
      case 0x28: return this.fraction;
      case 0x2c: return this.lcr;
      case 0x30: return this.cr;
      case 0x34: return this.levels;
      case 0x38: return this.mask;
      case 0x3c: return this.raw;
      case 0x40: return this.raw & this.mask;
      default: return 0;
    }
  }

  writeUint32(offset, value) {
    switch (offset) {
      case 0x00:
        if (this.tx.length < 32) this.tx.push(value & 255);
        if (this.tx.length > this.level(this.levels)) { this.raw &= ~0x20; this.check(); }
        this.next();
        break;
      case 0x24: this.divisor = value & 0xffff; break;
      case 0x28: this.fraction = value & 0x3f; break;
      case 0x2c: this.lcr = value; break;
      case 0x30: this.cr = value; break;
      case 0x34: this.levels = value; break;
      case 0x38: this.mask = value & 0x7ff; this.check(); break;
      case 0x44: this.raw &= ~this.rawWriteValue; this.check(); break;
    }
  }
}

/** The strip's data line, from its edges. `limits`: the least and most ns of each kind of pulse. */
class Strip {
  constructor(clock, onFrame) {
    Object.assign(this, { clock, onFrame, bits: [], high: false, rise: 0, fall: 0, began: 0 });
    this.limits = { zero: [1e9, 0], one: [1e9, 0], low: [1e9, 0] };
    this.alarm = clock.createAlarm(() => this.rested());
  }

  edge(high) {
    if (high === this.high) return;
    this.high = high;
    const now = this.clock.nanos;
    if (high) {
      this.alarm.cancel();
      if (this.bits.length) this.note("low", now - this.fall); else this.began = now;
      this.rise = now;
    } else {
      const one = now - this.rise > 600;
      this.note(one ? "one" : "zero", now - this.rise);
      this.bits.push(one ? 1 : 0);
      this.fall = now;
      // the shortest rest that any generation of the chip takes for an end
      this.alarm.schedule(50_000);
    }
  }

  note(kind, width) {
    const range = this.limits[kind];
    range[0] = Math.min(range[0], width);
    range[1] = Math.max(range[1], width);
  }

  rested() {
    const bytes = [];
    for (let at = 0; at + 8 <= this.bits.length; at += 8)
      bytes.push(this.bits.slice(at, at + 8).reduce((byte, bit) => byte << 1 | bit, 0));
    const whole = this.bits.length % 8 === 0;
    this.bits = [];
    this.onFrame(this.began, this.fall, bytes, whole);
  }
}

export class Pico {
  /** `ask(what)`: answers what is on the pins. `tell(what, value)`: what happened, and when. */
  constructor({ bootrom, firmware, files, filesAt, usb, cache, ask, tell }) {
    Object.assign(this,
      { bootrom, usb, cache, ask, tell, pins: {}, base: 0, boots: 0, busy: 0, slept: 0 });
    this.flash = new Uint8Array(2 << 20).fill(0xff);
    if (firmware.readUInt32LE(0) === 0x0a324655) // UF2: its blocks say where they belong
      for (let at = 0; at < firmware.length; at += 512) {
        const from = at + 32, to = firmware.readUInt32LE(at + 12) - 0x10000000;
        this.flash.set(firmware.subarray(from, from + firmware.readUInt32LE(at + 16)), to);
      }
    else this.flash.set(firmware, 0);
    if (files) this.flash.set(files, filesAt);
    this.power();
  }

  get now() { return this.base + this.clock.nanos; }

  /** The supply comes, or the watchdog bites: all but the flash is as new. */
  power() {
    if (this.clock) this.base += this.clock.nanos;
    Object.assign(this, { bitten: false, stall: 0, online: false, feeds: 0, tone: 0 });
    this.boots++;
    const { rp2040: chip, clock } = new Simulator();
    Object.assign(this, { chip, clock });
    chip.logger = new ConsoleLogger(LogLevel.Error, false);
    chip.loadBootrom(new Uint32Array(this.bootrom.buffer, this.bootrom.byteOffset,
      this.bootrom.length / 4));
    chip.flash.set(this.flash);
    this.writeFlash();
    if (this.cache) this.cacheFlash();
    this.wireUart();
    this.wireConverter();
    this.wireImu();
    this.paceStateMachines();
    this.strip = new Strip(clock,
      (began, end, bytes, whole) =>
        this.tell("strip", [this.base + began, this.base + end, Buffer.from(bytes).toString("hex"),
          whole, this.strip.limits]));
    chip.gpio[STRIP].addListener((state) => this.strip.edge(state === 1));
    let risen = -1e12;
    chip.gpio[BUZZER]
      .addListener((state) => {
        if (state === 1) {
          this.period = clock.nanos
            - risen; risen = this.risen = clock.nanos;
        }
      });
    this.risen = -1e12;
    for (const pin of [SDA, SCL]) chip.gpio[pin].setInputValue(true);
    this.drive(this.pins);
    const dog = chip.peripherals[0x40058], write = dog.writeUint32.bind(dog);
    dog.writeUint32 =
      (offset, value) => { if (offset === WATCHDOG_LOAD) this.feeds++; write(offset, value); };
    // or it bites for ever
    dog.onWatchdogTrigger = () => { this.bitten = true; dog.alarm.enable = false; };
    if (this.usb) this.plugUsb();
    chip.core.PC = 0x10000000;
  }

  drive(levels) {
    for (const [pin, level] of Object.entries(levels)) {
      this.pins[pin] = level; this.chip.gpio[pin]
        .setInputValue(!!level);
    }
  }

  get hz() {
    return this.clock.nanos - this.risen < 1.5 * this.period && this.period < 60e6
      ? Math.round(1e9 / this.period) : 0;
  }

  put(bytes) { if (this.usb) this.putUsb(bytes); else this.uart.put(bytes); }
  say(bytes) { this.tell("line", Buffer.from(bytes).toString("hex")); }

  wireUart() {
    const { chip } = this;
    this.uart = chip.uart[0] = chip.peripherals[0x40034] = new Uart(chip, 20);
    this.uart.onByte = (byte) => { if (!this.usb) this.say([byte]); };
  }

  /** MCP3008 behind the multiplexers: all inputs are asked for at the first conversion of a
   * scan. */
  wireConverter() {
    const { chip, clock } = this, spi = chip.spi[0];
    let sent = 0, answer = null, codes = null, asked = -1e12;
    chip.gpio[CONVERTER_SELECT].addListener((state) => { if (state === 0) sent = 0; });
    const done = clock.createAlarm(() => spi.completeTransmit(answer));
    spi.onTransmit = (byte) => {
      if (clock.nanos - asked > 5e6) {
        const { scan, pins } = this.ask("scan");
        this.drive(pins);
        codes = Buffer.from(scan, "hex");
        asked = clock.nanos;
      }
      if (sent === 1) {
        const address = ADDRESS.reduce((sum, pin, line) =>
          sum | ((chip.sio.gpioValue >> pin) & 1) << line, 0);
        this.input = 3 * ((byte >> 4 & 7) * 16 + address);
      }
      answer = chip.sio.gpioValue >> CONVERTER_SELECT & 1 || !sent ? 0xff
        : codes[this.input + sent];
      sent++;
      // half a clock before and one after each byte: PL022
      done.schedule(9.5e9 / spi.clockFrequency);
    };
  }

  /** The I2C chip is asked as messages end, or as their reading begins. */
  wireImu() {
    const { clock } = this, i2c = this.chip.i2c[0];
    let then = null, written = [], address = 0, reads = null;
    const alarm = clock.createAlarm(() => then());
    const after = (bits, work) => { then = work; alarm.schedule(bits * 1e9 / I2C_HZ); };
    // An abort empties the transmit FIFO, and the chip says so: the SDK waits for that (RP 4.3.11).
    const abort = i2c.abort.bind(i2c);
    i2c.abort = (reason) => { abort(reason); i2c.setInterrupts(0x10); };
    const deliver = () => {
      const data = written; written = []; return !data.length
        || this.ask("write", [address, data]) !== null;
    };
    i2c.onStart = () => after(1, () => i2c.completeStart());
    i2c.onConnect = (to, mode) => {
      address = to;
      reads = mode ? this.ask("read", [to, written]) : [];
      const there = mode ? reads : this.ask("write", [to, []]);
      if (mode) written = [];
      if (there === "stuck") {
        then = () =>
          i2c.completeConnect(false); alarm.schedule(I2C_TIMEOUT_NS);
      } else after(9, () => i2c.completeConnect(there !== null));
    };
    i2c.onWriteByte = (byte) => after(9, () => { written.push(byte); i2c.completeWrite(true); });
    i2c.onReadByte = () => after(9, () => i2c.completeRead(reads.shift() ?? 0xff));
    i2c.onStop = () =>
      after(1, () => { if (written.length > 1) deliver(); written = []; i2c.completeStop(); });
  }

  /** Each instruction of a state machine takes its clocks. */
  paceStateMachines() {
    const { clock } = this, pio = this.chip.pio[0];
    const wakers = pio.machines.map((machine) => {
      machine.txFIFO = new FIFO(8); // joined, as the strip's is
      let due = 0, asleep = true;
      const step = (work) => {
        const before = machine.cycles;
        work();
        pio.checkChangedPins();
        due += (machine.cycles - before) * ((machine.clockDivInt || 65536)
          + machine.clockDivFrac / 256) * CLOCK_NS;
        asleep = machine.waiting || !machine.enabled;
        if (!asleep) alarm.schedule(Math.max(0, due - clock.nanos));
      };
      const alarm = clock.createAlarm(() => step(() => machine.step()));
      const write = machine.writeFIFO.bind(machine);
      machine.writeFIFO = (value) => {
        if (!asleep || !machine.enabled) return write(value);
        due = clock.nanos;
        step(() => write(value));
      };
      return () => {
        if (asleep
          && machine.enabled) { due = clock.nanos; step(() => machine.step()); }
      };
    });
    pio.run = () => wakers.forEach((wake) => wake());
  }

  /** The boot ROM's functions that erase and program become breakpoints, at which it is done. */
  writeFlash() {
    const { chip } = this, rom = new Uint8Array(chip.bootrom.buffer);
    const word = (at) => rom[at] | rom[at + 1] << 8;
    for (let at = word(0x14); word(at); at += 4) {
      const number = { RE: 0xe1, RP: 0xe2 }[String.fromCharCode(rom[at], rom[at + 1])];
      if (number) rom.set([number, 0xbe, 0x70, 0x47], word(at + 2) & ~1); // BKPT; BX LR
    }
    chip.onBreak = (number) => {
      const [to, second, third] = chip.core.registers;
      const length = number === 0xe1 ? second : third;
      if (number === 0xe1) {
        this.flash.fill(0xff, to,
          to + length); this.stall += ERASE_NS * length / 4096 / CLOCK_NS;
      } else if (number === 0xe2) {
        for (let at = 0; at < length; at++) this.flash[to
          + at] &= chip.readUint8(second + at); this.stall += PROGRAM_NS * length / 256 / CLOCK_NS;
      } else throw new Error(`breakpoint ${number}`);
      chip.flash.set(this.flash.subarray(to, to + length), to);
    };
  }

  /** `cache`: clocks for which the processor waits when a line has to come from the flash. */
  cacheFlash() {
    const { chip, cache } = this,
      ways = [new Int32Array(CACHE_SETS).fill(-1), new Int32Array(CACHE_SETS).fill(-1)];
    const oldest = new Uint8Array(CACHE_SETS);
    for (const name of ["readUint8", "readUint16", "readUint32"]) {
      const read = chip[name].bind(chip);
      chip[name] = (address) => {
        if (address >>> 24 === 0x10) {
          const line = address >>> CACHE_LINE_BITS, set = line % CACHE_SETS;
          const way = ways[0][set] === line ? 0 : ways[1][set] === line ? 1 : -1;
          if (way < 0) {
            ways[oldest[set]][set] = line;
            oldest[set] ^= 1;
            this.stall += cache;
          } else oldest[set] = way ^ 1;
        }
        return read(address);
      };
    }
  }

  plugUsb() {
    const { usbCtrl } = this.chip, cdc = new USBCDC(usbCtrl);
    cdc.txFIFO = new FIFO(1 << 16);
    cdc.onDeviceConnected = () => { this.online = true; };
    cdc.onSerialData = (bytes) => this.say(bytes);
    const read = usbCtrl.onEndpointRead;
    let free = null; // a buffer that waits for the host's next bytes
    usbCtrl.onEndpointRead = (endpoint, size) => {
      if (endpoint === cdc.outEndpoint && cdc.txFIFO.empty)
        free = [endpoint, size]; else read(endpoint, size);
    };
    this.putUsb = (bytes) => {
      bytes.forEach((byte) => cdc.sendSerialByte(byte));
      if (free && !cdc.txFIFO.empty) { const waiting = free; free = null; read(...waiting); }
    };
  }

  /** Live until then, in ns since the first power. */
  run(until) {
    for (;;) {
      const { chip: { core }, clock } = this;
      const end = until - this.base;
      while (clock.nanos < end && !this.bitten) {
        if (core.waiting) {
          const alarm = clock.nanosToNextAlarm, rest = Math.max(CLOCK_NS, end - clock.nanos);
          const slept = alarm > 0 ? Math.min(alarm, rest) : clock.nextAlarm ? CLOCK_NS : rest;
          clock.tick(slept);
          this.slept += slept;
        } else {
          const took = (core.executeInstruction() + this.stall) * CLOCK_NS;
          this.stall = 0;
          clock.tick(took);
          this.busy += took;
        }
      }
      if (!this.bitten) return;
      this.power();
    }
  }
}
