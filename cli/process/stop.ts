/** And the status that the process ends with when it is sent again. SIGHUP comes when the terminal is closed. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

let stop: (() => void) | undefined;

/** Resolves at the first SIGINT, SIGTERM or SIGHUP, or at `requestStop`; a second signal ends the process at once. */
export async function untilStopped(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stop = resolve;
  for (const name of Object.keys(signals)) process.once(name, resolve);
  await promise;
  for (const [name, status] of Object.entries(signals)) process.once(name, () => process.exit(status));
}

/** Stops what runs until it is stopped; false where nothing does. */
export function requestStop(): boolean {
  stop?.();
  return stop !== undefined;
}

const lingerMs = 500;

/** Ends the process half a second after all of its work has ended, even if a library keeps it alive, for example with a retry. */
export function endSoon(): void {
  setTimeout(() => process.exit(), lingerMs).unref();
}
