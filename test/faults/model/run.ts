import { setTimeout as pause } from 'node:timers/promises';
import { parseOptions } from '../../../cli/command/options.ts';
import { readConfig, upOptions } from '../../../cli/settings/up.ts';
import { type Platform, startPlatform } from '../../../cli/up/platform.ts';
import { createLogger } from '../../../src/base/index.ts';
import { SeededRandom } from '../../conformance/random.ts';
import { type Action, actionsOf, describeAction } from './actions.ts';
import { addApiFaults, endWatchesNowAndThen } from './api-faults.ts';
import { Model } from './model.ts';
import { Sources } from './sources.ts';
import { StateChecker } from './state-checker.ts';
import { User } from './user.ts';

/** A sequence that did not end as it should. */
export interface Failure {
  readonly seed: number;
  readonly actions: readonly Action[];
  readonly problems: readonly string[];
}

const uploadPauseMs = 100;
const longestPauseMs = 300;
/** With faults first; then without. */
const faultyMs = 30_000;
/** Ten sequences share a machine that may be slow. */
const patientMs = 150_000;

class Run implements AsyncDisposable {
  readonly #random: SeededRandom;
  readonly #platform: Platform;
  readonly #sources: Sources;
  readonly #model: Model;
  readonly #user: User;
  readonly #checker: StateChecker;
  readonly #stop = new AbortController();
  readonly #background: Promise<unknown>[] = [];
  readonly #faults: Disposable;

  constructor(parts: { random: SeededRandom; platform: Platform; sources: Sources; model: Model }) {
    const { random, platform, sources, model } = parts;
    const server = platform.apiServer;
    if (server === undefined) throw new Error('faults need the embedded API server');
    this.#random = random;
    this.#platform = platform;
    this.#sources = sources;
    this.#model = model;
    const { client, adminToken: token, faults } = server;
    this.#user = new User({ client, sources, random, contentUrl: platform.contentUrl, token });
    this.#checker = new StateChecker(client, platform.storeDir);
    this.#faults = addApiFaults(faults, random);
    const { signal } = this.#stop;
    this.#background.push(endWatchesNowAndThen(faults, random, { signal }), this.#keepUploading(signal));
  }

  async take(actions: readonly Action[]): Promise<readonly string[]> {
    for (const action of actions) {
      const problems = action.what === 'settle' ? await this.#settle() : await this.#do(action);
      if (problems.length > 0) return problems;
      await pause(this.#random.next() * longestPauseMs);
    }
    for (const name of this.#model.paused) await this.#do({ what: 'unpause', name });
    for (const source of this.#model.broken) await this.#do({ what: 'recover', source });
    return await this.#untilAsExpected();
  }

  async #do(action: Action): Promise<readonly string[]> {
    await this.#user.do(action);
    this.#model.take(action);
    return [];
  }

  async #settle(): Promise<readonly string[]> {
    if (!this.#model.canSettle) return [];
    const problems = await this.#untilAsExpected();
    this.#model.take({ what: 'settle' });
    return problems;
  }

  async #untilAsExpected(): Promise<readonly string[]> {
    const startMs = performance.now();
    for (;;) {
      const problems = await this.#checker.problems(this.#model.expectations());
      const tookMs = performance.now() - startMs;
      if (problems.length === 0 || tookMs > faultyMs + patientMs) return problems;
      if (tookMs > faultyMs) this.#endFaults();
      await pause(50);
    }
  }

  #endFaults(): void {
    this.#faults[Symbol.dispose]();
    this.#sources.isFaulty = false;
  }

  async #keepUploading(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#user.upload();
      await pause(uploadPauseMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#background);
    await this.#platform[Symbol.asyncDispose]();
  }
}

/** Runs actions against a platform of their own whose API server and sources fail now and then; what is wrong at the end. */
async function problemsAfter(actions: readonly Action[], seed: number): Promise<readonly string[]> {
  const random = new SeededRandom(seed);
  const model = new Model();
  await using sources = new Sources(random, () => model.broken);
  await sources.start();
  // Longer than a busy machine takes to start git; that stories about bundles need no Operator Lifecycle Manager saves a third of a start.
  const args = ['--log-level', 'silent', '--answer-timeout', '5', '--no-olm'];
  const config = readConfig(parseOptions(upOptions, args, {}).values);
  const platform = await startPlatform(config, { log: await createLogger({ level: 'silent' }) });
  await using run = new Run({ random, platform, sources, model });
  return await run.take(actions);
}

/** Leaves out one action after the other as long as the rest still fails, with at most `tries` runs. */
async function shrink(failure: Failure, tries: number): Promise<Failure> {
  let smallest = failure;
  let left = tries;
  for (let size = Math.ceil(failure.actions.length / 2); size >= 1 && left > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < smallest.actions.length && left > 0; left -= 1) {
      const actions = smallest.actions.toSpliced(at, size);
      const problems = await problemsAfter(actions, failure.seed);
      if (problems.length > 0) smallest = { ...failure, actions, problems };
      else at += size;
    }
  }
  return smallest;
}

/** Runs the sequence of a seed. What failed is made as short as `shrinkTries` more runs can. */
export async function runSequence(
  seed: number,
  options: { readonly actionCount: number; readonly shrinkTries: number },
): Promise<Failure | undefined> {
  const actions = actionsOf(seed, options.actionCount);
  const problems = await problemsAfter(actions, seed);
  return problems.length === 0 ? undefined : await shrink({ seed, actions, problems }, options.shrinkTries);
}

/** Several lines: what was done, and what came of it. */
export function describeFailure({ seed, actions, problems }: Failure): string {
  const lines = [...actions.map(describeAction), 'then:', ...problems];
  return [`seed ${seed}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}
