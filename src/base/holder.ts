import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { formatTimestamp } from './clock.ts';

/** Writes which process holds a lock, and since when, to a file next to it; for messages only.
 *  @throws the error of the file system */
export function writeHolder(file: string): void {
  const text = `process ${process.pid} on ${hostname()} since ${formatTimestamp(Date.now())}\n`;
  writeFileSync(file, text, { mode: 0o600 });
}

/** What `writeHolder` wrote: `process 4711 on laptop since 2026-01-31T08:00:00Z`; undefined if that is missing. */
export function readHolder(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return /^[\w .:-]{1,200}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
