import { expect, test } from 'vitest';
import { releasePatch } from './release.ts';

const owner = { name: 'combo', uid: 'u1' };
const applied = { manager: 'longshore', operation: 'Apply', fieldsV1: { 'f:data': {} } };
const other = { manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:data': {} } };
const reference = (kind: string, name: string) => ({ apiVersion: 'core.rukpak.io/v1alpha1', kind, name, uid: 'u' });

test('Q28 what is let go loses the marks of its owner, and only these', () => {
  const metadata = {
    name: 'a',
    uid: 'u9',
    resourceVersion: '7',
    labels: { app: 'x' },
    ownerReferences: [reference('BundleDeployment', 'combo'), reference('BundleDeployment', 'other')],
    managedFields: [applied, other],
  };
  expect(releasePatch({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, owner)).toEqual({
    metadata: {
      uid: 'u9',
      resourceVersion: '7',
      labels: {
        'core.rukpak.io/owner-kind': null,
        'core.rukpak.io/owner-name': null,
        'applyset.kubernetes.io/part-of': null,
      },
      annotations: { 'core.rukpak.io/released-from': 'combo' },
      ownerReferences: [reference('BundleDeployment', 'other')],
      managedFields: [other],
    },
  });
});

test('the last owner of fields is removed too: an empty list would change nothing', () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', managedFields: [applied] } };
  expect(releasePatch(object, owner)).toMatchObject({ metadata: { managedFields: [{}] } });
});
