const mebibyte = 1024 * 1024;
/** Of all threads of a process and the programs that render for them: with its main thread and decoders beside it, less than the 2 GiB of its container. */
const maxTogetherBytes = 768 * mebibyte;
const checkMs = 100;

/** A thread, or a program that one has started, whose memory is limited together with that of others. */
export interface MeasuredThread {
  readonly jobCount: number;
  /** What it has in its heap and outside of it; undefined when it has ended. */
  measure(): Promise<number | undefined>;
  /** Ends it, or the one of its own threads that takes most of it. */
  makeRoom(why: string): void;
}

interface Measurement {
  sizeBytes: number;
  isUnderWay: boolean;
}

/** Limits the memory of threads together: each has a limit of its own, but what all of them may have is more than a process has. Where that is reached, the
 *  one with the most ends, if possible one without a job; its jobs are started again later. */
export class ThreadMemory {
  readonly #maxBytes: number;
  readonly #threads = new Map<MeasuredThread, Measurement>();
  /** Inside of a thread the process has to be informed: it decides when there is too much. */
  onChange: ((sizeBytes: number) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(maxBytes: number = maxTogetherBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Counts a thread, until the result is disposed. */
  add(thread: MeasuredThread): Disposable {
    this.#threads.set(thread, { sizeBytes: 0, isUnderWay: false });
    this.#timer ??= setInterval(() => this.#check(), checkMs).unref();
    return { [Symbol.dispose]: () => this.#drop(thread) };
  }

  /** Of all threads, as they were when they were measured last. */
  get sizeBytes(): number {
    return [...this.#threads.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /** Ends the thread that has the most. */
  makeRoom(): void {
    const partBytes = this.sizeBytes / this.#threads.size;
    const large = [...this.#threads].filter(([, { sizeBytes }]) => sizeBytes >= partBytes);
    const [most] = large.sort(([a, { sizeBytes: ofA }], [b, { sizeBytes: ofB }]) =>
      (a.jobCount === 0) === (b.jobCount === 0) ? ofB - ofA : a.jobCount - b.jobCount,
    );
    if (most === undefined) return;
    const [thread, measurement] = most;
    // Not to end another one before this one has ended.
    measurement.sizeBytes = 0;
    const limit = `the limit of ${this.#maxBytes / mebibyte} MiB for all threads and programs together was reached, and it had the most`;
    thread.makeRoom(limit);
  }

  /** Threads without a job stay as they are, and are not measured again. */
  #check(): void {
    const busy = [...this.#threads].filter(([{ jobCount }]) => jobCount > 0);
    if (busy.length === 0) return;
    if (this.onChange !== undefined) this.onChange(this.sizeBytes);
    else if (this.sizeBytes > this.#maxBytes) this.makeRoom();
    for (const [thread, measurement] of busy) if (!measurement.isUnderWay) void this.#measure(thread, measurement);
  }

  /** One that runs native code answers late. */
  async #measure(thread: MeasuredThread, measurement: Measurement): Promise<void> {
    measurement.isUnderWay = true;
    measurement.sizeBytes = (await thread.measure()) ?? measurement.sizeBytes;
    measurement.isUnderWay = false;
  }

  #drop(thread: MeasuredThread): void {
    this.#threads.delete(thread);
    this.onChange?.(this.sizeBytes);
    if (this.#threads.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Of the threads and programs that this thread has started. */
export const threadMemory: ThreadMemory = new ThreadMemory();
