import { WaitingError } from '../../src/base/index.ts';

/** Each may take hundreds of mebibytes of memory, and seconds of processor time. */
const chartsAtATime = 2;
/** Tens of times less than this are usual. */
const defaultPromptMs = 1_000;
/** After which a deployment that waits is requeued, should it miss its turn. */
const requeueMs = 30_000;

/** Slow are the charts that had to make room for others once. */
type Lane = 'prompt' | 'slow';

interface Run {
  readonly deployment: string;
  readonly lane: Lane;
  readonly stop: AbortController;
  readonly timer: NodeJS.Timeout;
  /** Whether it takes long. */
  isLong: boolean;
}

/** A turn, which lasts until it is disposed. */
export interface ChartTurn extends Disposable {
  /** Ends where the chart has to make room for others, with a WaitingError. */
  readonly signal: AbortSignal;
}

export interface ChartTurnsOptions {
  readonly workers: number;
  /** Starts a reconcile of a deployment. */
  readonly request: (deployment: string) => void;
  /** A chart that takes longer makes room for others. */
  readonly promptMs?: number;
}

/** Limits how many charts are rendered at the same time, so that a worker is left for deployments without charts: those that wait for a turn occupy none. A chart
 *  that takes long makes room for one that waits, and has its turn among its like; the two kinds share the turns. Of each kind every other turn is of the one
 *  that came last: one that is new hardly waits, however many there are. */
export class ChartTurns {
  readonly #atATime: number;
  readonly #options: ChartTurnsOptions;
  /** Those that wait longest come first. */
  readonly #waiting = new Set<string>();
  readonly #running = new Set<Run>();
  readonly #slow = new Set<string>();
  /** Those requested for a turn that has ended. */
  readonly #requested = new Set<string>();
  #endedCount = 0;

  constructor(options: ChartTurnsOptions) {
    this.#options = options;
    this.#atATime = Math.max(1, Math.min(chartsAtATime, options.workers - 1));
  }

  /** Begins a turn.
   *  @throws WaitingError OtherChartsFirst; a reconcile is requested when a turn ends */
  begin(deployment: string): ChartTurn {
    if (!this.#mayBegin(deployment)) {
      this.#waiting.add(deployment);
      this.#makeRoom();
      throw this.#othersFirst('waiting until other charts are rendered');
    }
    this.#waiting.delete(deployment);
    this.#requested.delete(deployment);
    const stop = new AbortController();
    const { promptMs = defaultPromptMs } = this.#options;
    const timer = setTimeout(() => this.#becomeLong(run), promptMs).unref();
    const run: Run = { deployment, lane: this.#laneOf(deployment), stop, timer, isLong: false };
    this.#running.add(run);
    this.#makeRoom();
    return { signal: stop.signal, [Symbol.dispose]: () => this.#end(run) };
  }

  /** The deployment does not exist any more. */
  forget(deployment: string): void {
    this.#waiting.delete(deployment);
    this.#slow.delete(deployment);
    this.#requested.delete(deployment);
  }

  #othersFirst(why: string): WaitingError {
    return new WaitingError('OtherChartsFirst', `${why}: ${this.#atATime} at a time`, { afterMs: requeueMs });
  }

  #laneOf(deployment: string): Lane {
    return this.#slow.has(deployment) ? 'slow' : 'prompt';
  }

  #runningIn(lane: Lane): number {
    return [...this.#running].filter((run) => run.lane === lane).length;
  }

  #waitingIn(lane: Lane): string[] {
    return [...this.#waiting].filter((name) => this.#laneOf(name) === lane);
  }

  /** A kind has all turns only while none of the other one waits. */
  #mayBegin(deployment: string): boolean {
    if (this.#running.size >= this.#atATime) return false;
    if (this.#requested.has(deployment)) return true;
    const lane = this.#laneOf(deployment);
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
    this.#slow.add(run.deployment);
    run.stop.abort(this.#othersFirst('slow, and ended until other charts are rendered'));
  }

  #end(run: Run): void {
    clearTimeout(run.timer);
    this.#running.delete(run);
    const next = this.#next();
    // It has made room for another one.
    if (run.stop.signal.aborted) this.#waiting.add(run.deployment);
    else if (!run.isLong) this.#slow.delete(run.deployment);
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#requested.add(next);
    this.#options.request(next);
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
