import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createClusterVersion,
  openReleaseCluster,
  type ReleaseCluster,
} from '../../../test/support/release-cluster.ts';
import { clusterVersionResource, parseClusterVersion } from '../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { withoutUpdates } from './report-updates.ts';
import { StatusDraft } from './status-draft.ts';
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

test('a status with updates that the API server refuses is written without them, and reports why', async () => {
  const { kube } = cluster;
  const object = await kube.get(ref);
  const draft = new StatusDraft(parseClusterVersion(object), 0);
  const risks = [{ name: 'A', url: 'https://example.com/', message: 'm', matchingRules: [{ type: 'Always' }] }];
  const release = { version: '1.2.0', image: 'example/release' };
  draft.setFields({
    ...status('1.1.0'),
    conditionalUpdates: [{ release, risks, riskNames: ['x'.repeat(300)], conditions: [] }],
  });
  const fallback = (why: string): JsonObject | undefined => withoutUpdates(draft, why);
  const written = await writeStatus(kube, object, { status: draft.value, fallback, signal });
  expect(shown(written)).toEqual(['1.1.0', ['RetrievedUpdates']]);
  expect(objectsAt(objectAt(written as JsonObject, 'status'), 'conditions')[0]).toMatchObject({
    status: 'False',
    reason: 'ResponseInvalid',
    message: expect.stringContaining('riskNames[0]') as string,
  });
});

test('CV-107: another object of the same name does not get the status', async () => {
  const { kube } = cluster;
  const stale = await kube.get(ref);
  await kube.delete(ref);
  await createClusterVersion(kube);
  await writeStatus(kube, stale, { status: status('1.1.0', 'Available'), signal });
  expect((await kube.get(ref))['status']).toBeUndefined();
});
