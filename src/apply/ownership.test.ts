import { expect, test } from 'vitest';
import type { KubeObject } from '../kube/index.ts';
import { applySetId, inventoryMetadata, inventoryOf, readInventory } from './inventory.ts';
import { fingerprintOf, ownedBy, takeoverProblem } from './ownership.ts';

const owner = { name: 'combo', uid: 'u1' };
const terms = { systemNamespace: 'rukpak-system', isUpgrade: false, mayAdopt: false, isOtherThere: true };
const id = applySetId(owner);
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
        'applyset.kubernetes.io/part-of': id,
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

test('an object to be retained gets labels and no owner reference', () => {
  const kept = ownedBy(configMap({ name: 'a', annotations: { 'helm.sh/resource-policy': 'keep' } }), owner, undefined);
  expect(kept.metadata.ownerReferences).toBeUndefined();
  expect(kept.metadata.labels).toMatchObject({ 'core.rukpak.io/owner-name': 'combo' });
});

test.each([
  { name: 'U22 no labels', labels: undefined, own: {} },
  { name: 'U23 an empty map of labels', labels: {}, own: {} },
  { name: 'U24, Q31 a label of its own', labels: { app: 'x' }, own: { app: 'x' } },
])('$name: the two owner labels and the ApplySet’s are added, nothing else', ({ labels, own }) => {
  const object = configMap({ name: 'a', ...(labels === undefined ? {} : { labels }) });
  expect(ownedBy(object, owner, 'ns').metadata.labels).toEqual({
    ...own,
    'core.rukpak.io/owner-kind': 'BundleDeployment',
    'core.rukpak.io/owner-name': 'combo',
    'applyset.kubernetes.io/part-of': id,
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
  expect(takeoverProblem(configMap({ name: 'a', ...metadata }), owner, terms)).toBeUndefined();
});

test.each([
  { name: 'another deployment', metadata: labelled('other'), text: 'it belongs to BundleDeployment "other"' },
  {
    name: 'another release',
    metadata: helm('other'),
    text: 'annotation validation error: key "meta.helm.sh/release-name" must equal "combo": current value is "other"',
  },
  {
    name: 'no owner',
    metadata: {},
    text: 'label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"',
  },
])('a deployment does not take over what belongs to $name', ({ metadata, text }) => {
  const problem = takeoverProblem(configMap({ name: 'a', namespace: 'ns', ...metadata }), owner, terms);
  expect(problem).toContain('Unable to continue with install: ConfigMap "a" in namespace "ns" exists');
  expect(problem).toContain(text);
});

test('the fingerprint follows our fields, when they were applied, and the object, not what others own', () => {
  const entry = (manager: string, field: string, time: string) => ({
    manager,
    operation: 'Apply',
    time,
    fieldsV1: { 'f:data': { [field]: {} } },
  });
  const ours = fingerprintOf(configMap({ uid: '1', managedFields: [entry('longshore', 'f:a', 't1')] }));
  const later = [entry('other', 'f:b', 't2'), entry('longshore', 'f:a', 't1')];
  expect(fingerprintOf(configMap({ uid: '1', resourceVersion: '9', managedFields: later }))).toBe(ours);
  expect(fingerprintOf(configMap({ uid: '2', managedFields: later }))).not.toBe(ours);
  expect(fingerprintOf(configMap({ uid: '1', managedFields: [entry('longshore', 'f:c', 't1')] }))).not.toBe(ours);
  expect(fingerprintOf(configMap({ uid: '1', managedFields: [entry('longshore', 'f:a', 't2')] }))).not.toBe(ours);
  expect(fingerprintOf(configMap({ uid: '1' }))).not.toBe(ours);
});

test.each([
  { apiVersion: 'v1', kind: 'Namespace' },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
])('the garbage collector gets no $kind: others may have objects in it', (kind) => {
  expect(ownedBy({ ...kind, metadata: { name: 'a' } }, owner, undefined).metadata.ownerReferences).toBeUndefined();
});

test.each([
  { name: 'that has no other owner', metadata: {}, isOtherThere: false },
  { name: 'of a deleted deployment', metadata: labelled('other'), isOtherThere: false },
])('N6 an object $name is taken over when the user asks for it', ({ metadata, isOtherThere }) => {
  const object = configMap({ name: 'a', ...metadata });
  expect(takeoverProblem(object, owner, { ...terms, mayAdopt: true, isOtherThere })).toBeUndefined();
  expect(takeoverProblem(object, owner, { ...terms, isOtherThere })).toContain(
    'to take it over, annotate BundleDeployment "combo" with core.rukpak.io/adopt: "true"',
  );
});

const controller = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u9', controller: true };

test.each([
  { metadata: { ownerReferences: [controller] }, manager: 'ReplicaSet "web"' },
  {
    metadata: { annotations: { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 'prod' } },
    manager: 'Helm release "prod/shop"',
  },
  { metadata: { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } }, manager: 'Kustomization "apps"' },
  {
    metadata: { labels: { 'olm.owner': 'tide.v1', 'olm.owner.namespace': 'ops' } },
    manager: 'ClusterServiceVersion "ops/tide.v1"',
  },
  { metadata: { labels: { 'argocd.argoproj.io/instance': 'shop' } }, manager: 'the Argo CD Application "shop"' },
])('a conflict names who manages the object: $manager', ({ metadata, manager }) => {
  const problem = takeoverProblem(configMap({ name: 'a', ...metadata }), owner, terms);
  expect(problem).toContain(`it is managed by ${manager}: remove it there first`);
});

test.each([false, true])('an object of Longshore itself is never taken over, asked for or not: %s', (mayAdopt) => {
  const own = configMap({ name: 'a', labels: { 'app.kubernetes.io/part-of': 'longshore' } });
  const problem = takeoverProblem(own, owner, { ...terms, mayAdopt });
  expect(problem).toMatch(
    /metadata; it belongs to Longshore itself and cannot be adopted: rename the object in the bundle$/,
  );
});

test.each([false, true])('a role that the cluster comes with is never taken over, asked for or not: %s', (mayAdopt) => {
  const role = configMap({ name: 'cluster-admin', labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } });
  expect(takeoverProblem(role, owner, { ...terms, mayAdopt })).toMatch(
    /metadata; it belongs to Kubernetes itself and cannot be adopted: rename the object in the bundle$/,
  );
});

test('an object of Longshore is not taken over by a BundleDeployment with the name of the Helm release that installed it', () => {
  const labels = { 'app.kubernetes.io/part-of': 'longshore', 'app.kubernetes.io/managed-by': 'Helm' };
  const annotations = {
    'meta.helm.sh/release-name': owner.name,
    'meta.helm.sh/release-namespace': terms.systemNamespace,
  };
  const own = configMap({ name: 'a', labels, annotations });
  expect(takeoverProblem(own, owner, terms)).toContain('it belongs to Longshore itself and cannot be adopted');
});

test.each([
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: terms.systemNamespace } },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'bundles.core.rukpak.io' },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'any' },
    webhooks: [{ name: 'vbundles.core.rukpak.io' }],
  },
])('$kind $metadata.name is never taken over, without its labels either', (own) => {
  const problem = takeoverProblem(own, owner, { ...terms, mayAdopt: true });
  expect(problem).toContain('it belongs to Longshore itself and cannot be adopted');
});

test('an object of a deployment that exists is never taken over', () => {
  const object = configMap({ name: 'a', ...labelled('other') });
  expect(takeoverProblem(object, owner, { ...terms, mayAdopt: true })).toContain(
    'it belongs to BundleDeployment "other"',
  );
});

test('what a deployment of the same name released is its own again', () => {
  const released = { annotations: { 'core.rukpak.io/released-from': 'combo' } };
  expect(takeoverProblem(configMap({ name: 'a', ...released }), owner, terms)).toBeUndefined();
  expect(takeoverProblem(configMap({ name: 'a', ...released }), { name: 'x', uid: 'u' }, terms)).toBeDefined();
});

test('Q7 an inventory is read as it was written, sorted, and grows with kinds and namespaces only', () => {
  const objects = Array.from({ length: 5_000 }, (_, index) => [
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: `ns-${index % 2}` },
    { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ns-1' },
    { apiVersion: 'v1', kind: 'Namespace' },
  ]).flat();
  const inventory = inventoryOf(objects);
  const { labels, annotations } = inventoryMetadata('combo', inventory, 'longshore/v1.2.3');
  expect(labels).toEqual({ 'applyset.kubernetes.io/id': id });
  expect(annotations).toEqual({
    'applyset.kubernetes.io/tooling': 'longshore/v1.2.3',
    'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap,Deployment.apps,Namespace',
    'applyset.kubernetes.io/additional-namespaces': 'ns-0,ns-1',
    'core.rukpak.io/installed-kinds': null,
  });
  expect(readInventory({ labels, annotations: annotations as Record<string, string> })).toEqual(inventory);
});

test('namespaces that no annotation has room for are left out of the metadata', () => {
  const namespaces = Array.from({ length: 4_600 }, (_, index) => `${'n'.repeat(50)}-${index}`);
  const { annotations } = inventoryMetadata('combo', { kinds: [{ group: '', kind: 'Pod' }], namespaces }, 'longshore');
  expect(annotations).toMatchObject({
    'applyset.kubernetes.io/contains-group-kinds': 'Pod',
    'applyset.kubernetes.io/additional-namespaces': null,
  });
});

test('the id is the hash that kubectl expects of <name>.<namespace>.<kind>.<group>', () => {
  expect(id).toBe('applyset-sxH-SH5lodnKLvBXQqGD0J461g9ZYMukRigZhhezbgg-v1');
});

test('the record of an earlier release is understood, and nonsense in a record left out', () => {
  const annotations = { 'core.rukpak.io/installed-kinds': 'apps/v1/Deployment,v1/ConfigMap,,x,/y' };
  expect(readInventory({ annotations })?.kinds).toEqual([
    { group: '', kind: 'ConfigMap' },
    { group: 'apps', kind: 'Deployment' },
  ]);
  expect(readInventory({ annotations: { other: 'x' } })).toBeUndefined();
});
