/** @module-tag long */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/index.ts';
import type { KubeClient } from '../../../src/kube/index.ts';
import {
  clusterVersion,
  openReleaseCluster,
  operatorManifest,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
  runEngine,
  runOperators,
} from '../../support/release-cluster.ts';
import { installed, operatorAt, settings, smallRelease, untilAt } from '../../support/small-release.ts';
import { killThrough, problemsOf, strikesOf } from './kill-run.ts';
import { smallReleases } from './releases.ts';

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster());
});

afterEach(() => stack.disposeAsync());

const manifests = (version: string): Record<string, JsonObject> => ({
  '0000_10_alpha_10_settings.yaml': settings('alpha', version),
  ...operatorAt('10', 'alpha', version),
  '0000_20_beta_10_settings.yaml': settings('beta', version),
  '0000_20_gamma_10_settings.yaml': settings('gamma', version),
  ...operatorAt('20', 'beta', version),
});

/** At which write of an engine its process is killed, and whether that write reaches the server. */
interface KillPoint {
  readonly count: number;
  readonly isSent: boolean;
}

/** A client whose process is killed at its `count`th write: that one is sent, or not, its answer is lost, and nothing is sent any more. */
function killedAt(
  kube: KubeClient,
  { count, isSent }: KillPoint,
): { readonly kube: KubeClient; readonly whenKilled: Promise<void> } {
  const { promise: whenKilled, resolve } = Promise.withResolvers<void>();
  let writes = 0;
  const never = new Promise<never>(() => undefined);
  const write =
    <Args extends unknown[], Answer>(send: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      writes += 1;
      if (writes < count) return await send(...args);
      if (writes === count && isSent) await send(...args);
      resolve();
      return await never;
    };
  const writing: Partial<KubeClient> = {
    apply: write((object, options) => kube.apply(object, options)),
    create: write((object, options) => kube.create(object, options)),
    patch: write((ref, change, options) => kube.patch(ref, change, options)),
    update: write((object, options) => kube.update(object, options)),
    delete: write((ref, options) => kube.delete(ref, options)),
  };
  return { kube: { ...kube, ...writing }, whenKilled };
}

/** Runs an engine until it is killed, or the update is complete. */
async function runUntilKilled(releases: Readonly<Record<string, string>>, point: KillPoint): Promise<void> {
  const { kube, whenKilled } = killedAt(cluster.kube, point);
  const engine = await runEngine({ ...cluster, kube }, { releases });
  await Promise.race([whenKilled, untilAt(cluster, '1.1.0').catch(() => undefined)]);
  // A killed process waits for nothing: what it had begun never ends.
  void engine[Symbol.asyncDispose]();
}

/** How far the update is. */
async function doneNow(): Promise<number> {
  const { progress, desired } = (await clusterVersion(cluster.kube)).status ?? {};
  return desired?.version === '1.1.0' ? (progress?.done ?? 0) : 0;
}

/** The number of writes of an update, more or less. */
const points = [1, 3, 5, 8, 11, 14];

test('CV-109: an engine that is killed at any write of an update continues it, its counter never falls, and the end is the same', async () => {
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', manifests('1.0.0')),
    '1.1.0': await smallRelease(cluster, '1.1.0', manifests('1.1.0')),
  };
  const first = await installed(cluster, { releases, first: '1.0.0', operators: ['alpha', 'beta'] });
  await first[Symbol.asyncDispose]();
  await patchSpec(cluster.kube, { desiredUpdate: { image: releaseImage('1.1.0') } });
  let done = 0;
  for (const [index, count] of points.entries()) {
    await using _operators = await runOperators(cluster.kube, index < 3 ? [] : [operatorManifest('alpha', '1.1.0')]);
    await runUntilKilled(releases, { count, isSent: index % 2 === 0 });
    const reached = await doneNow();
    expect(reached).toBeGreaterThanOrEqual(done);
    done = reached;
  }
  stack.use(await runOperators(cluster.kube, [operatorManifest('alpha', '1.1.0'), operatorManifest('beta', '1.1.0')]));
  stack.use(await runEngine(cluster, { releases }));
  await untilAt(cluster, '1.1.0');
  const { history = [] } = (await clusterVersion(cluster.kube)).status ?? {};
  expect(history.map(({ state, version }) => `${state} ${version ?? ''}`)).toEqual([
    'Completed 1.1.0',
    'Completed 1.0.0',
  ]);
  for (const name of ['alpha', 'beta', 'gamma']) {
    const object = await cluster.kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name });
    expect(object['data']).toEqual({ value: '1.1.0' });
  }
});

/** `npm run faults` kills it a hundred times, with the ten real components. */
test('CV-109: an installation and an update whose process is ended by kill -9 end as undisturbed ones, without a step back', async () => {
  const releases = await smallReleases(cluster.folder, ['1.0.0', '1.1.0']);
  const undisturbed = await killThrough(releases);
  expect(undisturbed.failure).toBeUndefined();
  const killed = await killThrough(releases, strikesOf(undisturbed, 1, 2));
  expect(problemsOf(killed, undisturbed)).toEqual([]);
  expect(killed.reached.map(({ struck }) => struck)).toEqual([
    expect.stringContaining('fieldManager=cluster-version'),
    expect.stringContaining('fieldManager=cluster-version'),
  ]);
}, 600_000);
