/** Objects with very many values in some of their lists and maps, by chance: written, changed, read and deleted on a whole platform, while another
 *  client measures how long it waits. */
import { Connection } from '../../conformance/connection.ts';
import { type PlatformProcess, startPlatformProcess } from '../hostile-process.ts';
import { describeObject, drawObjects } from './draw.ts';
import { type CostlyKind, kindsOf } from './kinds.ts';
import { MeasuredPlatform } from './measured.ts';
import { Trial } from './trial.ts';

/** Objects that cost others too much. */
export interface CostFinding {
  /** The number of the draw. */
  readonly number: number;
  /** `Pod spec.tolerations × metadata.labels{}`. */
  readonly objects: string;
  readonly problem: string;
  /** What was done, and what it cost. */
  readonly steps: readonly string[];
}

export interface CostOptions {
  readonly seed: number;
  /** Number of the first draw. */
  readonly first: number;
  readonly forMs: number;
  /** Milliseconds of processor time that others may wait. */
  readonly limitMs: number;
  /** Only these kinds; all when empty. */
  readonly kinds: readonly string[];
  readonly onFound: (finding: CostFinding) => void;
  /** After each draw: its number, and the objects that were written. */
  readonly onDrawn: (number: number, objects: string) => void;
}

/** A platform that is started again when it has ended. */
class Platforms implements AsyncDisposable {
  #platform: PlatformProcess | undefined;
  #connection: Connection | undefined;

  async connect(): Promise<{ readonly platform: PlatformProcess; readonly connection: Connection }> {
    if (this.#platform === undefined || this.#platform.end() !== undefined) {
      await this[Symbol.asyncDispose]();
      this.#platform = await startPlatformProcess({ inside: [] });
      this.#connection = new Connection(this.#platform.kubeconfig);
    }
    return { platform: this.#platform, connection: this.#connection ?? new Connection(this.#platform.kubeconfig) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection?.[Symbol.dispose]();
    await this.#platform?.[Symbol.asyncDispose]();
  }
}

async function chosenKinds(
  connection: Connection,
  kinds: readonly string[],
): Promise<readonly [CostlyKind, ...CostlyKind[]]> {
  const all = await kindsOf(connection);
  const [first, ...others] = all.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
  if (first === undefined) throw new Error(`no kind of the server is one of ${kinds.join(', ')}`);
  return [first, ...others];
}

/** Draws and measures until the time is over; returns how many draws it made. */
export async function findCosts(options: CostOptions): Promise<number> {
  await using platforms = new Platforms();
  const kinds = await chosenKinds((await platforms.connect()).connection, options.kinds);
  const endMs = performance.now() + options.forMs;
  let number = options.first;
  for (; performance.now() < endMs; number += 1) {
    const { platform, connection } = await platforms.connect();
    const drawn = drawObjects(kinds, { seed: options.seed, number });
    const { limitMs } = options;
    const trial = new Trial(new MeasuredPlatform(platform, connection), { limitMs, namespace: `costs-${number}` });
    // The process may end while it answers.
    const failure = await trial.play(drawn).catch((error: unknown) => String(error));
    const end = platform.end();
    const problem = end === undefined ? (trial.problem ?? failure) : `the process ended: ${end}`;
    const objects = [drawn.crowd, drawn.object].flatMap((one) => (one === undefined ? [] : [describeObject(one)]));
    const text = objects.join(', then ');
    options.onDrawn(number, text);
    if (problem !== undefined) options.onFound({ number, objects: text, problem, steps: trial.steps });
  }
  return number - options.first;
}
