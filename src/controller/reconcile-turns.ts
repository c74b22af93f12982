import { WaitingError } from '../base/index.ts';

/** Tens of times less than this are usual. */
const defaultPromptMs = 1_000;
/** After which an object that waits is requeued, should it miss its turn. */
const requeueMs = 30_000;
/** Within which an object that is requested takes its turn, or loses it. */
const takenWithinMs = 1_000;

/** Slow are those that had to make room for others once. */
type Lane = 'prompt' | 'slow';

interface Run {
  readonly name: string;
  readonly lane: Lane;
  readonly stop: AbortController;
  readonly timer: NodeJS.Timeout;
  /** Whether it takes long. */
  isLong: boolean;
}

/** A turn, which lasts until it is disposed. */
export interface ReconcileTurn extends Disposable {
  /** Ends where the work has to make room for others, with a WaitingError. */
  readonly signal: AbortSignal;
}

export interface ReconcileTurnsOptions {
  readonly atATime: number;
  /** Of errors. */
  readonly reason: string;
  /** What is waited for, such as `other charts are rendered`. */
  readonly others: string;
  /** Starts a reconcile of an object. */
  readonly request: (name: string) => void;
  /** Work that takes longer makes room for other. */
  readonly promptMs?: number;
}

/** Limits how many objects have costly work done at the same time, of which others choose how much it takes, so that workers are left for other objects: those that
 *  wait for a turn occupy none. Work that takes long makes room for that of an object that waits, and has its turn among its like; the two kinds share the turns. Of
 *  each kind every other turn is of the one that came last: one that is new hardly waits, however many there are. */
export class ReconcileTurns {
  readonly #atATime: number;
  readonly #options: ReconcileTurnsOptions;
  /** Those that wait longest come first. */
  readonly #waiting = new Set<string>();
  readonly #running = new Set<Run>();
  readonly #slow = new Set<string>();
  /** Those requested for a turn that has ended, and until when it is theirs. */
  readonly #requested = new Map<string, NodeJS.Timeout>();
  #endedCount = 0;

  constructor(options: ReconcileTurnsOptions) {
    this.#atATime = options.atATime;
    this.#options = options;
  }

  /** Begins a turn.
   *  @throws WaitingError; a reconcile is requested when a turn ends */
  begin(name: string): ReconcileTurn {
    if (!this.#mayBegin(name)) {
      this.#waiting.add(name);
      this.#makeRoom();
      throw this.#othersFirst('waiting');
    }
    this.#waiting.delete(name);
    this.#unrequest(name);
    const stop = new AbortController();
    const { promptMs = defaultPromptMs } = this.#options;
    const timer = setTimeout(() => this.#becomeLong(run), promptMs).unref();
    const run: Run = { name, lane: this.#laneOf(name), stop, timer, isLong: false };
    this.#running.add(run);
    this.#makeRoom();
    return { signal: stop.signal, [Symbol.dispose]: () => this.#end(run) };
  }

  /** The object does not exist any more. */
  forget(name: string): void {
    this.#waiting.delete(name);
    this.#slow.delete(name);
    if (this.#unrequest(name)) this.#requestNext();
  }

  #unrequest(name: string): boolean {
    clearTimeout(this.#requested.get(name));
    return this.#requested.delete(name);
  }

  #othersFirst(why: string): WaitingError {
    const { reason, others } = this.#options;
    return new WaitingError(reason, `${why} until ${others}: ${this.#atATime} at a time`, { afterMs: requeueMs });
  }

  #laneOf(name: string): Lane {
    return this.#slow.has(name) ? 'slow' : 'prompt';
  }

  #runningIn(lane: Lane): number {
    return [...this.#running].filter((run) => run.lane === lane).length;
  }

  #waitingIn(lane: Lane): string[] {
    return [...this.#waiting].filter((name) => this.#laneOf(name) === lane);
  }

  /** A kind has all turns only while none of the other one waits. */
  #mayBegin(name: string): boolean {
    if (this.#running.size >= this.#atATime) return false;
    if (this.#requested.has(name)) return true;
    const lane = this.#laneOf(name);
    const other = lane === 'slow' ? 'prompt' : 'slow';
    return this.#atATime === 1 || this.#runningIn(lane) < this.#atATime - 1 || this.#waitingIn(other).length === 0;
  }

  #becomeLong(run: Run): void {
    run.isLong = true;
    this.#makeRoom();
  }

  /** What has to make room: of slow charts, where they have all turns, the one that began last; else one that takes long. */
  #toEnd(): Run | undefined {
    const running = [...this.#running];
    if (running.length < this.#atATime || running.some(({ stop }) => stop.signal.aborted)) return undefined;
    if (this.#runningIn('slow') < this.#atATime) return running.find(({ lane, isLong }) => lane === 'prompt' && isLong);
    return this.#atATime === 1 ? undefined : running.at(-1);
  }

  #makeRoom(): void {
    const run = this.#waitingIn('prompt').length === 0 ? undefined : this.#toEnd();
    if (run === undefined) return;
    this.#slow.add(run.name);
    run.stop.abort(this.#othersFirst('slow, and ended'));
  }

  #end(run: Run): void {
    clearTimeout(run.timer);
    this.#running.delete(run);
    const next = this.#next();
    // It has made room for another one.
    if (run.stop.signal.aborted) this.#waiting.add(run.name);
    else if (!run.isLong) this.#slow.delete(run.name);
    this.#requestIt(next);
  }

  #requestNext(): void {
    if (this.#running.size < this.#atATime) this.#requestIt(this.#next());
  }

  #requestIt(name: string | undefined): void {
    if (name === undefined) return;
    this.#waiting.delete(name);
    const lose = (): void => {
      if (this.#unrequest(name)) this.#requestNext();
    };
    this.#requested.set(name, setTimeout(lose, takenWithinMs).unref());
    this.#options.request(name);
  }

  #next(): string | undefined {
    this.#endedCount += 1;
    const isForSlow = this.#endedCount % 4 > 1;
    const lanes: readonly Lane[] = isForSlow ? ['slow', 'prompt'] : ['prompt', 'slow'];
    const names = lanes
      .map((lane) => this.#waitingIn(lane))
      .find(([first]) => first !== undefined && this.#mayBegin(first));
    return names?.at(this.#endedCount % 2 === 0 ? -1 : 0);
  }
}
