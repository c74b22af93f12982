import { getHeapStatistics } from 'node:v8';

/** V8 counts room for new objects to its limit, three times this much; what stays cannot use it. `--max-semi-space-size` may make it smaller. */
const semiSpaceBytes = 64 * 1024 ** 2;

/** What this process may keep in memory, in bytes: the heap without the part for new objects. */
export function oldSpaceBytes(): number {
  return Math.max(getHeapStatistics().heap_size_limit - 3 * semiSpaceBytes, semiSpaceBytes);
}
