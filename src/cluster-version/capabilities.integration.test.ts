import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import {
  clusterVersion,
  conditionText,
  createClusterVersion,
  openReleaseCluster,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
  runEngine,
} from '../../test/support/release-cluster.ts';
import { settings, smallRelease, untilAt } from '../../test/support/small-release.ts';
import type { JsonObject } from '../base/index.ts';
import { isNotFound } from '../kube/index.ts';

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster());
});
afterEach(() => stack.disposeAsync());

const of = (name: string, capability: string, value = '1'): Record<string, JsonObject> => ({
  [`0000_10_a_10_${name}.yaml`]: settings(name, value, { annotations: { 'capability.openshift.io/name': capability } }),
});

async function existing(...names: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names) {
    try {
      await cluster.kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name });
      found.push(name);
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
  return found;
}

/** A cluster at 1.0.0 with these capabilities alone. */
async function install(enabled: readonly string[], releases: Readonly<Record<string, string>>): Promise<void> {
  const capabilities = { baselineCapabilitySet: 'None', additionalEnabledCapabilities: [...enabled] };
  await createClusterVersion(cluster.kube, { capabilities });
  stack.use(await runEngine(cluster, { releases, first: '1.0.0' }));
  await untilAt(cluster, '1.0.0');
}

const implicit = async (): Promise<string | undefined> =>
  conditionText(await clusterVersion(cluster.kube), 'ImplicitlyEnabledCapabilities');

test('CV-72: objects of capabilities that are disabled, unknown, or of which one is disabled are left out', async () => {
  const manifests = {
    ...of('enabled', 'Console'),
    ...of('disabled', 'Storage'),
    ...of('unknown', 'Moon'),
    ...of('both', 'Console+Storage'),
  };
  await install(['Console'], { '1.0.0': await smallRelease(cluster, '1.0.0', manifests) });
  expect(await existing('enabled', 'disabled', 'unknown', 'both')).toEqual(['enabled']);
  const { capabilities } = (await clusterVersion(cluster.kube)).status ?? {};
  expect(capabilities?.enabledCapabilities).toEqual(['Console']);
  expect(capabilities?.knownCapabilities).toContain('Storage');
  expect(await implicit()).toBe('False AsExpected Capabilities match configured spec');
});

test('CV-73: a capability that a new release gives to an object of an enabled one becomes enabled', async () => {
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', of('x', 'Console')),
    '1.1.0': await smallRelease(cluster, '1.1.0', of('x', 'Storage', '2')),
  };
  await install(['Console'], releases);
  await patchSpec(cluster.kube, { desiredUpdate: { image: releaseImage('1.1.0') } });
  await untilAt(cluster, '1.1.0');
  const object = await cluster.kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name: 'x' });
  expect(object['data']).toEqual({ value: '2' });
  const text = 'True CapabilitiesImplicitlyEnabled The following capabilities could not be disabled: Storage';
  expect(await implicit()).toBe(text);
});

test('CV-74: capabilities that are removed from the spec stay enabled, and are named in order', async () => {
  const manifests = { ...of('x', 'Console'), ...of('y', 'Storage') };
  await install(['Storage', 'Console'], { '1.0.0': await smallRelease(cluster, '1.0.0', manifests) });
  await patchSpec(cluster.kube, { capabilities: { additionalEnabledCapabilities: [] } });
  const text = 'True CapabilitiesImplicitlyEnabled The following capabilities could not be disabled: Console, Storage';
  await eventually(async () => expect(await implicit()).toBe(text));
  await untilAt(cluster, '1.0.0');
  expect(await existing('x', 'y')).toEqual(['x', 'y']);
  const { capabilities } = (await clusterVersion(cluster.kube)).status ?? {};
  expect(capabilities?.enabledCapabilities).toEqual(['Console', 'Storage']);
});
