import { readFileSync } from 'node:fs';

/** How many files and connections this process may have open; unlimited where the system does not report it. Node.js raises the soft limit to the hard one. */
export function openFileLimit(path = '/proc/self/limits'): number {
  try {
    const [, soft] = /^Max open files +(\d+) /m.exec(readFileSync(path, 'utf8')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
