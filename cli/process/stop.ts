import { once } from 'node:events';

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
export async function untilStopped(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
}

const lingerMs = 500;

/** Ends the process half a second after all of its work has ended, even if a library keeps it alive, for example with a retry. */
export function endSoon(): void {
  setTimeout(() => process.exit(), lingerMs).unref();
}
