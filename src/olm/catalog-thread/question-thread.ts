import { TransientError } from '../../base/index.ts';
import { type ContentJobOptions, ContentThreads, neededMore, ThreadEnded } from '../content-threads.ts';

/** How long the thread may take. */
export interface ThreadLimits {
  /** For one answer. */
  readonly deadlineMs: number;
  /** Without a question for so long, it ends. */
  readonly idleMs: number;
  /** Questions, each in a thread of its own. Those that need much memory do not count. */
  readonly atATime: number;
}

/** Who asks. */
interface Asker {
  /** Questions of one group share a turn where they need much memory. */
  readonly group: string;
  readonly signal: AbortSignal;
}

const defaultLimits: ThreadLimits = Object.freeze({ deadlineMs: 30_000, idleMs: 30_000, atATime: 1 });

type Questions<Jobs> = { readonly [Kind in keyof Jobs]: { readonly input: unknown; readonly result: unknown } };

/** Answers questions about catalogs in separate threads, one after the other or a few at a time: whatever catalogs contain, this thread is not blocked, and neither time
 *  nor memory is without bound. A thread is started with a question, and ends when there are none. */
export class QuestionThread<Jobs extends Questions<Jobs>> implements Disposable {
  readonly #threads: ContentThreads<Jobs>;
  readonly #deadlineMs: number;
  readonly #atATime: number;
  readonly #waiting: (() => void)[] = [];
  #askedCount = 0;

  /** `url` is the module that answers. */
  constructor(url: URL, limits: Partial<ThreadLimits> = {}) {
    const { deadlineMs, idleMs, atATime } = { ...defaultLimits, ...limits };
    this.#deadlineMs = deadlineMs;
    this.#atATime = atATime;
    this.#threads = new ContentThreads<Jobs>({ url, name: 'resolver' }, { idleMs });
  }

  /** @throws TransientError ResolutionCancelled when it took too much, MadeRoom · the signal's reason · what the answer throws */
  async ask<Kind extends keyof Jobs & string>(
    kind: Kind,
    question: Jobs[Kind]['input'],
    { group, signal }: Asker,
  ): Promise<Jobs[Kind]['result']> {
    const options = { group, signal, deadlineMs: this.#deadlineMs, isLeftOnAbort: true };
    try {
      return await this.#answer(kind, question, options);
    } catch (thrown) {
      if (!(thrown instanceof ThreadEnded)) throw thrown;
      const text = `cancelled before a solution could be found: ${thrown.message}`;
      throw new TransientError('ResolutionCancelled', text, { cause: thrown });
    }
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }

  /** Other questions do not wait for one that needs much memory. */
  async #answer<Kind extends keyof Jobs & string>(
    kind: Kind,
    question: Jobs[Kind]['input'],
    options: ContentJobOptions,
  ): Promise<Jobs[Kind]['result']> {
    try {
      using _ = await this.#turn();
      return await this.#threads.runOrdinary(kind, question, options);
    } catch (thrown) {
      if (!neededMore(thrown)) throw thrown;
    }
    return await this.#threads.runLarge(kind, question, options);
  }

  /** Waits until fewer other questions are asked. */
  async #turn(): Promise<Disposable> {
    const isFree = this.#askedCount < this.#atATime;
    if (isFree) this.#askedCount += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { [Symbol.dispose]: () => this.#passTurn() };
  }

  #passTurn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#askedCount -= 1;
    else next();
  }
}
