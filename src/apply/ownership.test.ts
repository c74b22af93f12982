import { expect, test } from 'vitest';
import type { KubeObject } from '../kube/index.ts';
import { formatKindList, parseKindList } from './kind-list.ts';
import { fingerprintOf, ownedBy, takeoverProblem } from './ownership.ts';

const owner = { name: 'combo', uid: 'u1' };
const context = { systemNamespace: 'rukpak-system', isUpgrade: false };
const configMap = (metadata: KubeObject['metadata']): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });

test('labels and the owner reference are added, nothing of the bundle is lost or changed', () => {
  const object = {
    ...configMap({ name: 'a', labels: { app: 'x' }, uid: 'old', resourceVersion: '7' }),
    data: { k: 'v' },
  };
  const before = structuredClone(object);
  expect(ownedBy(object, owner, 'ns')).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'a',
      namespace: 'ns',
      labels: {
        app: 'x',
        'core.rukpak.io/owner-kind': 'BundleDeployment',
        'core.rukpak.io/owner-name': 'combo',
      },
      ownerReferences: [
        {
          apiVersion: 'core.rukpak.io/v1alpha1',
          kind: 'BundleDeployment',
          name: 'combo',
          uid: 'u1',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    data: { k: 'v' },
  });
  expect(object).toEqual(before);
});

test('an object to be kept gets labels and no owner reference', () => {
  const kept = ownedBy(configMap({ name: 'a', annotations: { 'helm.sh/resource-policy': 'keep' } }), owner, undefined);
  expect(kept.metadata.ownerReferences).toBeUndefined();
  expect(kept.metadata.labels).toMatchObject({ 'core.rukpak.io/owner-name': 'combo' });
});

test.each([
  { name: 'U22 no labels', labels: undefined, own: {} },
  { name: 'U23 an empty map of labels', labels: {}, own: {} },
  { name: 'U24, Q31 a label of its own', labels: { app: 'x' }, own: { app: 'x' } },
])('$name: the two owner labels are added, nothing else', ({ labels, own }) => {
  const object = configMap({ name: 'a', ...(labels === undefined ? {} : { labels }) });
  expect(ownedBy(object, owner, 'ns').metadata.labels).toEqual({
    ...own,
    'core.rukpak.io/owner-kind': 'BundleDeployment',
    'core.rukpak.io/owner-name': 'combo',
  });
});

const helm = (release: string) => ({
  labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  annotations: { 'meta.helm.sh/release-name': release, 'meta.helm.sh/release-namespace': 'rukpak-system' },
});
const labelled = (name: string) => ({
  labels: { 'core.rukpak.io/owner-kind': 'BundleDeployment', 'core.rukpak.io/owner-name': name },
});

test.each([
  { name: 'its own', metadata: labelled('combo') },
  { name: 'what a Helm release of its name left', metadata: helm('combo') },
])('a deployment takes over $name', ({ metadata }) => {
  expect(takeoverProblem(configMap({ name: 'a', ...metadata }), owner, context)).toBeUndefined();
});

test.each([
  { name: 'another deployment', metadata: labelled('other'), text: 'it belongs to BundleDeployment "other"' },
  {
    name: 'another release',
    metadata: helm('other'),
    text: 'annotation validation error: key "meta.helm.sh/release-name" must equal "combo": current value is "other"',
  },
  {
    name: 'nobody',
    metadata: {},
    text: 'label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"',
  },
])('a deployment does not take over what belongs to $name', ({ metadata, text }) => {
  const problem = takeoverProblem(configMap({ name: 'a', namespace: 'ns', ...metadata }), owner, context);
  expect(problem).toContain('Unable to continue with install: ConfigMap "a" in namespace "ns" exists');
  expect(problem).toContain(text);
});

test('the fingerprint follows our fields and the object, not what others own', () => {
  const entry = (manager: string, field: string, time: string) => ({
    manager,
    operation: 'Apply',
    time,
    fieldsV1: { 'f:data': { [field]: {} } },
  });
  const ours = fingerprintOf(configMap({ uid: '1', managedFields: [entry('longshore', 'f:a', 't1')] }));
  const later = [entry('other', 'f:b', 't1'), entry('longshore', 'f:a', 't2')];
  expect(fingerprintOf(configMap({ uid: '1', resourceVersion: '9', managedFields: later }))).toBe(ours);
  expect(fingerprintOf(configMap({ uid: '2', managedFields: later }))).not.toBe(ours);
  expect(fingerprintOf(configMap({ uid: '1', managedFields: [entry('longshore', 'f:c', 't1')] }))).not.toBe(ours);
  expect(fingerprintOf(configMap({ uid: '1' }))).not.toBe(ours);
});

test('a list of kinds is read as it was written, and nonsense in it is left out', () => {
  const kinds = [
    { apiVersion: 'v1', kind: 'ConfigMap' },
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { apiVersion: 'v1', kind: 'ConfigMap' },
  ];
  expect(formatKindList(kinds)).toBe('apps/v1/Deployment,v1/ConfigMap');
  expect(parseKindList(`${formatKindList(kinds)},,x,/y`)).toEqual([kinds[1], kinds[0]]);
});
