import { printable, printableLine } from '../../src/base/index.ts';
import { createTerminal } from './terminal.ts';

/** How far something is. */
export interface Amount {
  readonly done: number;
  readonly total: number;
  readonly unit: 'bytes' | 'objects' | 'bundles';
}

/** What goes on, for a person: a bar on a terminal, redrawn at most ten times a second; a line for each finished step elsewhere. Names from outside do not
 *  move the cursor of the terminal. */
export interface Progress extends Disposable {
  /** The current activity. Not shown where lines cannot be replaced. */
  show(label: string, amount?: Amount): void;
  /** A step is done. */
  finish(line: string): void;
  /** Takes the bar away, before something else is printed. */
  clear(): void;
}

const redrawMs = 100;
const barWidth = 24;
const units = ['B', 'KiB', 'MiB', 'GiB'];

/** `12.3 MiB` */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** `pushing layer  [############------------]  50 %  6.2 MiB of 12.3 MiB` */
export function formatProgress(label: string, amount: Amount | undefined): string {
  if (amount === undefined) return label;
  const { done, total, unit } = amount;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * barWidth);
  const bar = `${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}`;
  const shown = unit === 'bytes' ? `${formatBytes(done)} of ${formatBytes(total)}` : `${done} of ${total}`;
  return `${label}  [${bar}] ${String(Math.floor(share * 100)).padStart(3)} %  ${shown}`;
}

/** Progress on `stream`, which is standard error so that what a program reads stays clean. `isQuiet`: nothing at all. */
export function createProgress(stream: NodeJS.WriteStream, options: { readonly isQuiet: boolean }): Progress {
  const terminal = createTerminal(stream);
  const isDrawn = stream.isTTY && !options.isQuiet;
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let drawnLabel = '';
  const clear = (): void => {
    if (isDrawn) terminal.clear();
    drawnLabel = '';
  };
  return {
    show: (label, amount) => {
      if (!isDrawn) return;
      const isEnd = amount !== undefined && amount.done >= amount.total;
      const nowMs = performance.now();
      if (label === drawnLabel && !isEnd && nowMs - drawnAtMs < redrawMs) return;
      [drawnAtMs, drawnLabel] = [nowMs, label];
      terminal.progress(printableLine(formatProgress(label, amount)));
    },
    finish: (line) => {
      if (!options.isQuiet) terminal.line(printable(line));
      drawnLabel = '';
    },
    clear,
    [Symbol.dispose]: clear,
  };
}
