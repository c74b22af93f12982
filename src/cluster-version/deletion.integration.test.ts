import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import { openReleaseCluster, type ReleaseCluster } from '../../test/support/release-cluster.ts';
import { installed, settings, smallRelease } from '../../test/support/small-release.ts';
import { clusterVersionResource } from '../api/index.ts';
import { parseYamlDocuments } from '../base/index.ts';
import { isKubeError, type KubeObject } from '../kube/index.ts';

const user = { fieldManager: 'someone' };
const ref = { ...clusterVersionResource, name: 'version' };
const x = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name: 'x' };

let cluster: ReleaseCluster;
beforeEach(async () => {
  cluster = await openReleaseCluster();
  const file = 'deploy/release/objects.yaml';
  for (const object of parseYamlDocuments(file, await readFile(file, 'utf8'))) {
    await cluster.kube.create(object as unknown as KubeObject, user);
  }
});
afterEach(() => cluster[Symbol.asyncDispose]());

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return '';
  } catch (thrown) {
    return isKubeError(thrown) ? thrown.failure.message : String(thrown);
  }
}

test('the ClusterVersion, with which all objects of the release go, is deleted only after it was annotated', async () => {
  const { kube } = cluster;
  const releases = { '1.0.0': await smallRelease(cluster, '1.0.0', { '0000_10_a_10_x.yaml': settings('x', '1') }) };
  await using _engine = await installed(cluster, { releases, first: '1.0.0' });
  await eventually(async () => {
    const text = await refusal(kube.delete(ref));
    expect(text).toContain('ClusterVersion "version" owns all objects of the release, which are deleted with it');
  });
  expect((await kube.get(ref)).metadata.deletionTimestamp).toBeUndefined();
  await kube.patch(ref, { metadata: { annotations: { 'core.rukpak.io/allow-deletion': 'true' } } }, user);
  await kube.delete(ref, { propagationPolicy: 'Orphan' });
  await eventually(async () => {
    expect(await refusal(kube.get(ref))).not.toBe('');
    expect((await kube.get(x)).metadata.ownerReferences ?? []).toEqual([]);
  });
});
