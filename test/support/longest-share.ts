import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of the processor that this thread has used. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** How much of what `work` takes of the processor, at most, is in one turn of the event loop. */
export async function longestShare(work: Promise<unknown>): Promise<number> {
  const beginMs = usedMs();
  let isDone = false;
  let longest = 0;
  for (let lastMs = beginMs; !isDone; ) {
    const turn = nextTurn('turn');
    isDone = (await Promise.race([work, turn])) !== 'turn';
    await turn;
    longest = Math.max(longest, usedMs() - lastMs);
    lastMs = usedMs();
  }
  return longest / (usedMs() - beginMs);
}
