import { expect, test } from 'vitest';
import type { KubeObject } from '../../kube/index.ts';
import { copyObject, desiredCopy, hashesOf, hasMetadata } from './desired-copy.ts';

const original: KubeObject = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: {
    name: 'boat',
    namespace: 'own',
    uid: 'u',
    finalizers: ['operators.coreos.com/csv-cleanup'],
    labels: { 'operators.coreos.com/boat.own': '', kept: 'yes' },
    annotations: {
      'olm.targetNamespaces': '',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'olm.operatorGroup': 'group',
    },
  },
  spec: { displayName: 'Boat' },
  status: { phase: 'Succeeded', reason: 'InstallSucceeded', message: 'done' },
};

const empty: KubeObject = { ...original, metadata: { name: 'boat', namespace: 'target' } };

test('a copy has what identifies its source, and nothing that makes it an operator', () => {
  const copy = copyObject(empty, desiredCopy(original));
  expect(copy.metadata).toEqual({
    name: 'boat',
    namespace: 'target',
    labels: { kept: 'yes', 'olm.copiedFrom': 'own' },
    annotations: { 'olm.operatorGroup': 'group' },
  });
  expect(copy).not.toHaveProperty('status');
  expect(desiredCopy(original).status).toEqual({
    phase: 'Succeeded',
    reason: 'Copied',
    message: 'The operator is running in own but is managing this namespace',
  });
});

test('labels of others stay on a copy, but not the targets of the group', () => {
  const metadata = { ...empty.metadata, labels: { other: 'yes' }, annotations: { 'olm.targetNamespaces': '' } };
  const live = { ...empty, metadata };
  const desired = desiredCopy(original);
  const copy = copyObject(live, desired);
  expect(copy.metadata.labels).toEqual({ other: 'yes', kept: 'yes', 'olm.copiedFrom': 'own' });
  expect(copy.metadata.annotations).toEqual({ 'olm.operatorGroup': 'group' });
  expect([hasMetadata(live, desired), hasMetadata(copy, desired)]).toEqual([false, true]);
});

test('hashes of a copy are those of the source only where it has the same content', () => {
  const desired = desiredCopy(original);
  const copy = { ...copyObject(empty, desired), status: desired.status };
  expect(hashesOf(copy, desired)).toEqual({ main: desired.mainHash, status: desired.statusHash });
  expect(hashesOf({ ...copy, status: {} }, desired)).toEqual({ main: desired.mainHash, status: '' });
  expect(hashesOf({ ...copy, spec: {} }, desired).main).toBe('');
  const changed = desiredCopy({ ...original, status: { phase: 'Failed' } });
  expect([changed.mainHash === desired.mainHash, changed.statusHash === desired.statusHash]).toEqual([true, false]);
});
