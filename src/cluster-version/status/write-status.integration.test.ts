import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createClusterVersion,
  openReleaseCluster,
  type ReleaseCluster,
} from '../../../test/support/release-cluster.ts';
import { clusterVersionResource } from '../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { writeStatus } from './write-status.ts';

let cluster: ReleaseCluster;
beforeEach(async () => {
  cluster = await openReleaseCluster();
  await createClusterVersion(cluster.kube);
});
afterEach(() => cluster[Symbol.asyncDispose]());

const ref = { ...clusterVersionResource, name: 'version' };
const { signal } = new AbortController();
const condition = (type: string): JsonObject => ({ type, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' });
const status = (version: string, ...types: readonly string[]): JsonObject => ({
  desired: { version, image: 'example/release' },
  observedGeneration: 1,
  versionHash: '',
  availableUpdates: null,
  conditions: types.map(condition),
});
const shown = (object: KubeObject): unknown => {
  const now = objectAt(object as JsonObject, 'status');
  return [textAt(objectAt(now, 'desired'), 'version'), objectsAt(now, 'conditions').map((one) => textAt(one, 'type'))];
};

test('CV-107: after a conflict the status is written over the fresh object, and a condition of another writer stays', async () => {
  const { kube } = cluster;
  const stale = await kube.get(ref);
  const other = { ...stale, status: status('1.0.0', 'Extra') };
  await kube.update(other, { fieldManager: 'other', subresource: 'status' });
  const written = await writeStatus(kube, stale, { status: status('1.1.0', 'Available'), signal });
  expect(shown(written)).toEqual(['1.1.0', ['Available', 'Extra']]);
  expect(shown(await kube.get(ref))).toEqual(['1.1.0', ['Available', 'Extra']]);
});

test('CV-107: another object of the same name does not get the status', async () => {
  const { kube } = cluster;
  const stale = await kube.get(ref);
  await kube.delete(ref);
  await createClusterVersion(kube);
  await writeStatus(kube, stale, { status: status('1.1.0', 'Available'), signal });
  expect((await kube.get(ref))['status']).toBeUndefined();
});
