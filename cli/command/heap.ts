import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Keeps the heap near what is in use, for the rest of this process's life: controllers make many objects that die at once, and V8 would let them fill
 *  100 MiB and more that it never gives back: it collects no garbage while a process is idle, unless it is to optimize for size. Costs a quarter more
 *  processor time under load. An API server in the same process is faster with that room. The little garbage that there is at a time is collected by one
 *  thread: on busy machines others are waited for. */
export function keepHeapSmall(): void {
  const size = ['--semi-space-growth-factor=1', '--optimize-for-size', '--heap-growing-percent=60'];
  for (const flag of [...size, '--no-parallel-scavenge']) setFlagsFromString(flag);
}

/** Keeps the part of the heap where objects begin from growing; besides, memory is cleaned before the heap has grown by more than a quarter. For commands that read large files once: they take
 *  a little longer, and half the memory. */
export function keepHeapTight(): void {
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=25']) setFlagsFromString(flag);
}

const idleCheckMs = 1000;
/** Of its time a process may be busy and still be idle. */
const idleShare = 0.05;
/** Collecting less is not worth the time: of the memory that was left the last time, and in any case. */
const grownShare = 0.2;
const grownBytes = 32 * 1024 * 1024;

/** Gives memory back while a process is idle, once after it has grown: V8 does neither collect garbage then, nor return the pages of what it has
 *  collected. For processes that keep the heap's room while they are busy. Takes about 100 ms for each 100 MiB that are in use. */
export function collectWhenIdle(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  let last = performance.eventLoopUtilization();
  let leftBytes = 0;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    if (utilization > idleShare) return;
    if (process.memoryUsage.rss() - leftBytes < Math.max(grownBytes, leftBytes * grownShare)) return;
    // The only flavor after which V8 keeps no free pages.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    leftBytes = process.memoryUsage.rss();
  }, idleCheckMs).unref();
}

/** Code is optimized by commands that run for longer. */
const optimizeAfterMs = 400;

/** Puts off V8's optimizing compilers, which cost a short command 10 MiB and save it nothing. For commands that start no worker thread early: a
 *  thread has the compilers that its process allowed when it started. */
export function optimizeLater(): void {
  for (const compiler of ['opt', 'maglev']) setFlagsFromString(`--no-${compiler}`);
  setTimeout(() => {
    for (const compiler of ['opt', 'maglev']) setFlagsFromString(`--${compiler}`);
  }, optimizeAfterMs).unref();
}
