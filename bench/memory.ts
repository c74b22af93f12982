import { readFileSync } from 'node:fs';

/** The largest resident memory of this process so far, in bytes. On Linux from the process's own high-water mark: the value of `getrusage` starts at
 *  what the parent had when it forked. */
export function peakMemoryBytes(): number {
  try {
    const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    if (line !== null) return Number(line[1]) * 1024;
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024;
}
