import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import {
  clusterVersion,
  openReleaseCluster,
  operatorManifest,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
  runEngine,
  runOperators,
} from '../support/release-cluster.ts';
import { installed, operatorAt, settings, smallRelease, untilAt } from '../support/small-release.ts';
import { type KillPoint, killedAt, killUpdate, problemsOf } from './cluster-version-kill-run.ts';

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

/** `npm run faults` has a hundred such kills. */
test('CV-109: an update whose engine is killed at a write that is lost ends as one that is not disturbed', async () => {
  const { end } = await killUpdate({ count: 0, isSent: false });
  const killed = await killUpdate({ count: 6, isSent: false, isWithin: true });
  expect(killed.wasKilled).toBe(true);
  expect(killed.done.before).toBeGreaterThan(0);
  expect(killed.share).toBeGreaterThan(0);
  expect(killed.share).toBeLessThan(1);
  expect(problemsOf(killed, end)).toEqual([]);
});
