/** A flag that is shared with a thread, which is busy and receives no messages. */
export type Cancellation = SharedArrayBuffer;

/** Is set when the signal is aborted. */
export function cancellationBy(signal: AbortSignal): Cancellation {
  const flag = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const set = (): void => void Atomics.store(new Int32Array(flag), 0, 1);
  if (signal.aborted) set();
  else signal.addEventListener('abort', set, { once: true });
  return flag;
}

/** Whether it is set. */
export function isCancelled(cancellation: Cancellation): boolean {
  return Atomics.load(new Int32Array(cancellation), 0) !== 0;
}
