import { expect, test } from 'vitest';
import { openBareCluster } from '../../../test/support/index.ts';
import { csvCleanupFinalizer, olmLabels } from '../../api/index.ts';
import { isConflict, type KubeObject } from '../../kube/index.ts';
import { cleanUp } from './clean-up.ts';
import type { CsvRun } from './run.ts';

const user = { fieldManager: 'test' };
const kind = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
const ownedBy = (name: string) => ({
  [olmLabels.owner]: name,
  [olmLabels.ownerNamespace]: 'harbour',
  [olmLabels.ownerKind]: 'ClusterServiceVersion',
});

/** The removal of the operator boat.v1, whose caches show one ClusterRole. */
function runWith(kube: CsvRun['context']['kube'], role: KubeObject): CsvRun {
  const none = { labelled: () => [], values: () => [] };
  const caches = { clusterRoles: { labelled: () => [role] }, clusterRoleBindings: none };
  const outside = ['validatingWebhooks', 'mutatingWebhooks', 'apiServices', 'clusterRoleBindings', 'roleBindings'];
  const serving = { kube, caches: Object.fromEntries(outside.map((name) => [name, none])) };
  const metadata = { name: 'boat.v1', namespace: 'harbour', uid: '1', finalizers: [csvCleanupFinalizer] };
  const csv = { metadata, spec: {} };
  return { context: { kube, caches, serving }, csv, object: csv, namespace: 'harbour' } as unknown as CsvRun;
}

test('a ClusterRole that the next version has taken over stays, though the watch has not shown that', async () => {
  await using cluster = await openBareCluster();
  const { kube } = cluster;
  const seen = await kube.create({ ...kind, metadata: { name: 'boats', labels: ownedBy('boat.v1') }, rules: [] }, user);
  const ref = { ...kind, name: 'boats' };
  const { uid } = await kube.patch(ref, { metadata: { labels: ownedBy('boat.v2') } }, user).then((one) => one.metadata);
  await expect(cleanUp(runWith(kube, seen), new AbortController().signal)).rejects.toSatisfy(isConflict);
  expect((await kube.get(ref)).metadata).toMatchObject({ uid, labels: ownedBy('boat.v2') });
});
