import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../../src/base/index.ts';
import type { KubeObject, ObjectRef } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import {
  createClusterVersion,
  openReleaseCluster,
  type ReleaseCluster,
  runEngine,
} from '../support/release-cluster.ts';
import { settings, smallRelease, untilAt } from '../support/small-release.ts';
import { foreignDefinitions, mergeRules } from './merge-rules.ts';

/** Objects of many kinds, on a slow machine. */
const patience = { timeoutMs: 240_000 };
const user = { fieldManager: 'someone' };
const clustered = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'MutatingWebhookConfiguration',
  'SecurityContextConstraints',
  'ValidatingWebhookConfiguration',
]);

/** The object of a row in a release. */
function released({ manifest }: (typeof mergeRules)[number], index: number): JsonObject {
  const place = clustered.has(textAt(manifest, 'kind')) ? {} : { namespace: 'quay' };
  return { ...manifest, metadata: { name: `row-${index}`, ...place, ...(manifest['metadata'] as JsonObject) } };
}

function refOfManifest(object: JsonObject): ObjectRef {
  const { apiVersion, kind, metadata } = object as unknown as KubeObject;
  const { name = '', namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

function valueAt(object: JsonValue | undefined, path: readonly (string | number)[]): JsonValue {
  let value: JsonValue | undefined = object;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isJsonObject(value) ? value[step] : undefined;
  }
  return value ?? null;
}

/** A change that is corrected for the third time was made after a round that visited all objects had begun. */
const rounds = 3;

async function correctRounds({ kube }: ReleaseCluster): Promise<void> {
  const sentinel = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name: 'sentinel' };
  for (let round = 0; round < rounds; round += 1) {
    await kube.patch(sentinel, { data: { value: 'changed' } }, user);
    await eventually(async () => {
      if (valueAt((await kube.get(sentinel)) as JsonObject, ['data', 'value']) !== '1.0.0')
        throw new Error('expected that the ConfigMap sentinel is corrected');
    }, patience);
  }
}

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;
beforeAll(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster({ simulation: true }));
  for (const definition of foreignDefinitions) await cluster.kube.create(definition as unknown as KubeObject, user);
  const manifests = Object.fromEntries(
    mergeRules.map((row, index) => [`0000_20_rows_${index}_row.yaml`, released(row, index)]),
  );
  const first = await smallRelease(cluster, '1.0.0', {
    ...manifests,
    '0000_20_rows_sentinel.yaml': settings('sentinel', '1.0.0'),
  });
  const intervals = { minimumMs: 60_000, random: () => 0 };
  await createClusterVersion(cluster.kube);
  stack.use(await runEngine(cluster, { releases: { '1.0.0': first }, first: '1.0.0', intervals }));
  await untilAt(cluster, '1.0.0', patience);
  for (const [index, row] of mergeRules.entries()) {
    await cluster.kube.patch(refOfManifest(released(row, index)), row.change, user);
  }
  await correctRounds(cluster);
}, 2 * patience.timeoutMs);
afterAll(() => stack.disposeAsync());

test.each(mergeRules.map((row, index) => ({ ...row, row, index })))('$title', async ({ row, index }) => {
  const live = await cluster.kube.get(refOfManifest(released(row, index)));
  expect(valueAt(live as JsonObject, row.at)).toEqual(row.ours ?? row.reference);
});

test('a difference from the reference has a reason', () => {
  for (const { ours, differs } of mergeRules) expect(ours === undefined).toBe(differs === undefined);
});
