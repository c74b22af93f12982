/** Loaded into a process before everything else (`--import`): its wall clock is that of the machine and the offset that `LONGSHORE_SOAK_CLOCK`, a file, has in
 *  milliseconds. Timers and the monotonic clock go on as they are, as with a clock that is set. */
import { readFileSync, watchFile } from 'node:fs';

const path = process.env['LONGSHORE_SOAK_CLOCK'] ?? '';
const machineNow = Date.now.bind(Date);
let offsetMs = 0;

function read(): void {
  try {
    offsetMs = Number(readFileSync(path, 'utf8')) || 0;
  } catch {
    offsetMs = 0;
  }
}

class ShiftedDate extends Date {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(machineNow() + offsetMs);
    else super(...(args as [number]));
  }

  static override now(): number {
    return machineNow() + offsetMs;
  }
}

read();
watchFile(path, { interval: 500, persistent: false }, read);
globalThis.Date = ShiftedDate as DateConstructor;
