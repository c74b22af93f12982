/** And the status that the process ends with when it is sent again. */
const signals = { SIGINT: 130, SIGTERM: 143 } as const;

let stop: (() => void) | undefined;

/** Resolves at the first SIGINT, SIGTERM or SIGHUP, or at `requestStop`; a second SIGINT or SIGTERM ends the process at once. SIGHUP does not: when a terminal
 *  is closed, it comes beside the error of what was printed to it. */
export async function untilStopped(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stop = resolve;
  process.on('SIGHUP', resolve);
  for (const name of Object.keys(signals)) process.once(name, resolve);
  await promise;
  for (const [name, status] of Object.entries(signals)) process.once(name, () => process.exit(status));
}

/** Stops what runs until it is stopped; false where nothing does. */
export function requestStop(): boolean {
  stop?.();
  return stop !== undefined;
}

/** Whether the process runs until it is stopped. */
export function runsUntilStopped(): boolean {
  return stop !== undefined;
}

const lingerMs = 500;

/** Ends the process half a second after all of its work has ended, even if a library keeps it alive, for example with a retry. */
export function endSoon(): void {
  setTimeout(() => process.exit(), lingerMs).unref();
}
