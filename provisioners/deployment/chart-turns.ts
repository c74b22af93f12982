import { WaitingError } from '../../src/base/index.ts';

/** Each may take hundreds of mebibytes of memory, and seconds of processor time. */
const chartsAtATime = 2;
/** After which a deployment that waits is requeued, should it miss its turn. */
const requeueMs = 30_000;

/** Limits how many charts are rendered at the same time, so that a worker is left for deployments without charts: those that wait for a turn occupy none. */
export class ChartTurns {
  readonly #atATime: number;
  readonly #request: (deployment: string) => void;
  /** Those that wait longest come first. */
  readonly #waiting = new Set<string>();
  #runningCount = 0;

  /** `request` starts a reconcile of a deployment. */
  constructor({
    workers,
    request,
  }: {
    readonly workers: number;
    readonly request: (deployment: string) => void;
  }) {
    this.#atATime = Math.max(1, Math.min(chartsAtATime, workers - 1));
    this.#request = request;
  }

  /** Begins a turn, which lasts until it is disposed.
   *  @throws WaitingError OtherChartsFirst; a reconcile is requested when a turn ends */
  begin(deployment: string): Disposable {
    if (this.#runningCount >= this.#atATime) {
      this.#waiting.add(deployment);
      const text = `waiting until other charts are rendered: ${this.#atATime} at a time`;
      throw new WaitingError('OtherChartsFirst', text, { afterMs: requeueMs });
    }
    this.#waiting.delete(deployment);
    this.#runningCount += 1;
    return { [Symbol.dispose]: () => this.#end() };
  }

  /** The deployment does not exist any more. */
  forget(deployment: string): void {
    this.#waiting.delete(deployment);
  }

  #end(): void {
    this.#runningCount -= 1;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#request(next);
  }
}
