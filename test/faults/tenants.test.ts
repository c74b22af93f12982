import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { isForbidden, isNotFound, serviceAccountUser } from '../../src/kube/index.ts';
import { application, configMap, namespace } from '../e2e/contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, statusOf, type World } from '../e2e/world.ts';
import { eventually } from '../support/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const rbac = 'rbac.authorization.k8s.io/v1';
const asTest = { fieldManager: 'test', force: true };
const asTenant = { fieldManager: 'tenant' };

let world: World;
/** May edit the namespace `team`. */
let tenant: KubeClient;
/** May read and write our kinds, but not their status. */
let author: KubeClient;

async function account(name: string, grant: { readonly role: object; readonly place?: string }): Promise<KubeClient> {
  const { kube } = world;
  const subject = { namespace: 'default', name };
  await kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: subject }, asTest);
  const kind = grant.place === undefined ? 'ClusterRoleBinding' : 'RoleBinding';
  const metadata = { name, ...(grant.place !== undefined && { namespace: grant.place }) };
  const subjects = [{ kind: 'ServiceAccount', ...subject }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', ...grant.role };
  await kube.apply({ apiVersion: rbac, kind, metadata, subjects, roleRef } as unknown as KubeObject, asTest);
  return kube.actingAs(serviceAccountUser(subject));
}

beforeAll(async () => {
  world = await startWorld();
  await world.kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } }, asTest);
  const rules = [
    { apiGroups: ['core.rukpak.io'], resources: ['bundles', 'bundledeployments'], verbs: ['*'] },
    { apiGroups: ['olm.operatorframework.io'], resources: ['clustercatalogs'], verbs: ['*'] },
    { apiGroups: ['platform.openshift.io'], resources: ['platformoperators'], verbs: ['*'] },
  ];
  const role = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'author' }, rules };
  await world.kube.apply(role as unknown as KubeObject, asTest);
  tenant = await account('tenant', { role: { name: 'edit' }, place: 'team' });
  author = await account('author', { role: { name: 'author' } });
});
afterAll(() => world[Symbol.asyncDispose]());

const deploymentRef = (name: string) => ({ apiVersion, kind: 'BundleDeployment', name });

async function install(name: string, files: Readonly<Record<string, string>>): Promise<KubeObject> {
  await world.kube.apply(bundleDeployment(name, world.imageSource(`${name}:v1`, files)), asTest);
  return await world.deploymentWith(name, { type: 'Installed', status: 'True' });
}

test('users who may write BundleDeployments, but not their status, cannot write the record', async () => {
  const before = statusOf(await install('recorded', application('recorded', 1)));
  const forged = { activeBundle: 'hers', record: { uid: 'x', bundles: [], installation: 'Creating' } };
  const ref = deploymentRef('recorded');
  await author.patch(ref, { status: forged, metadata: { labels: { by: 'author' } } }, asTenant);
  expect(
    isForbidden(await errorOf(author.patch(ref, { status: forged }, { ...asTenant, subresource: 'status' }))),
  ).toBe(true);
  const after = await world.kube.get(ref);
  expect(after.metadata.labels).toMatchObject({ by: 'author' });
  expect(statusOf(after)).toMatchObject({
    activeBundle: before['activeBundle'],
    record: before['record'] as JsonObject,
  });
});

test('a user who may change a BundleDeployment, but not delete it, cannot have the garbage collector delete it', async () => {
  await install('owned', application('owned', 1));
  const rules = [{ apiGroups: ['core.rukpak.io'], resources: ['bundledeployments'], verbs: ['get', 'patch'] }];
  const role = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'changer' }, rules };
  await world.kube.apply(role as unknown as KubeObject, asTest);
  const changer = await account('changer', { role: { name: 'changer' } });
  const ref = deploymentRef('owned');
  // The grant is in effect.
  await eventually(() => changer.patch(ref, { metadata: { labels: { by: 'changer' } } }, asTenant));
  const gone = { apiVersion: 'v1', kind: 'Namespace', name: 'gone', uid: '00000000-0000-0000-0000-000000000001' };
  const claim = { metadata: { ownerReferences: [gone] } };
  expect(String(await errorOf(changer.patch(ref, claim, asTenant)))).toContain(
    'may not add Namespace "gone": an object is deleted when its owners are gone, so that this requires permission to delete bundledeployments.core.rukpak.io "owned"',
  );
  expect((await world.kube.get(ref)).metadata.ownerReferences).toBeUndefined();
});

test('nor a Bundle, whose upload may be the only copy', async () => {
  const name = 'uploaded';
  const spec = { provisionerClassName: 'core-rukpak-io-plain', source: { type: 'upload', upload: {} } };
  await world.kube.create({ apiVersion, kind: 'Bundle', metadata: { name }, spec } as unknown as KubeObject, asTest);
  const rules = [{ apiGroups: ['core.rukpak.io'], resources: ['bundles'], verbs: ['get', 'patch'] }];
  const role = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'relabeller' }, rules };
  await world.kube.apply(role as unknown as KubeObject, asTest);
  const relabeller = await account('relabeller', { role: { name: 'relabeller' } });
  const ref = { apiVersion, kind: 'Bundle', name };
  // The grant is in effect.
  await eventually(() => relabeller.patch(ref, { metadata: { labels: { by: 'relabeller' } } }, asTenant));
  const gone = { apiVersion: 'v1', kind: 'Namespace', name: 'gone', uid: '00000000-0000-0000-0000-000000000001' };
  expect(String(await errorOf(relabeller.patch(ref, { metadata: { ownerReferences: [gone] } }, asTenant)))).toContain(
    'requires permission to delete bundles.core.rukpak.io "uploaded"',
  );
  expect((await world.kube.get(ref)).metadata.ownerReferences).toBeUndefined();
});

test('an inventory that a user writes on a BundleDeployment deletes no objects and namespaces of others', async () => {
  await install('listed', application('listed', 1));
  const victim = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'victim', annotations: { 'core.rukpak.io/namespace-made-for': 'other' } },
  };
  await world.kube.apply(victim, asTest);
  const annotations = {
    'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap,Namespace,Secret',
    'applyset.kubernetes.io/additional-namespaces': 'listed,victim',
  };
  await author.patch(deploymentRef('listed'), { metadata: { annotations } }, asTenant);
  await eventually(async () => {
    const { metadata } = await world.kube.get(deploymentRef('listed'));
    expect(metadata.annotations).toMatchObject({ 'applyset.kubernetes.io/additional-namespaces': 'listed' });
  });
  await author.delete(deploymentRef('listed'));
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(deploymentRef('listed'))))).toBe(true));
  expect((await world.get('Namespace', 'victim')).metadata.deletionTimestamp).toBeUndefined();
});

test('an inventory that a BundleDeployment is created with deletes no namespaces of others', async () => {
  const name = 'listing';
  const annotations = { 'core.rukpak.io/namespace-made-for': 'other' };
  await world.kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'empty', annotations } }, asTest);
  const hers = {
    name,
    labels: { 'applyset.kubernetes.io/id': 'any' },
    annotations: {
      'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap,Namespace',
      'applyset.kubernetes.io/additional-namespaces': 'empty',
    },
  };
  const desired = bundleDeployment(name, world.imageSource(`${name}:v1`, application(name, 1)));
  await author.create({ ...desired, metadata: hers }, asTenant);
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  const { uid } = await world.get('Namespace', 'empty').then(({ metadata }) => metadata);
  await author.delete(deploymentRef(name));
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(deploymentRef(name))))).toBe(true));
  expect(await world.get('Namespace', 'empty')).toMatchObject({ metadata: { uid }, status: { phase: 'Active' } });
});

test('an object that a tenant labels as installed is neither removed nor changed with the BundleDeployment', async () => {
  const files = { 'manifests/all.yaml': `${namespace('labelled')}---\n${configMap('a', 'labelled', {})}` };
  const installed = await install('labelled', files);
  const { labels = {} } = (await world.get('ConfigMap', 'a', 'labelled')).metadata;
  const hers = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'hers', namespace: 'team', labels },
    data: { a: '1' },
  };
  await tenant.create(hers, asTenant);
  await world.kube.delete(deploymentRef('labelled'));
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(deploymentRef('labelled'))))).toBe(true));
  expect(installed.metadata.uid).toBeDefined();
  const after = await world.get('ConfigMap', 'hers', 'team');
  expect([after.metadata.deletionTimestamp, after['data']]).toEqual([undefined, { a: '1' }]);
});

test('the properties of an impostor of an active Bundle meet no dependency', async () => {
  const pausing = { metadata: { annotations: { 'core.rukpak.io/paused': 'true' } } };
  const { activeBundle } = statusOf(await install('base', application('base', 1))) as { activeBundle: string };
  await world.kube.patch(deploymentRef('base'), pausing, asTenant);
  await world.deploymentWith('base', { type: 'Paused', status: 'True' });
  const { labels = {}, ownerReferences = [] } = (await world.get('Bundle', activeBundle)).metadata;
  const ref = { apiVersion, kind: 'Bundle', name: activeBundle };
  await author.delete(ref);
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(ref)))).toBe(true));
  const properties = [{ type: 'olm.package', value: { packageName: 'ghost', version: '1.0.0' } }];
  const annotations = { 'core.rukpak.io/bundle-properties': JSON.stringify(properties) };
  const metadata = { name: activeBundle, labels, ownerReferences, annotations };
  const spec = { provisionerClassName: 'core-rukpak-io-plain', source: { type: 'upload', upload: {} } };
  await author.create({ apiVersion, kind: 'Bundle', metadata, spec } as unknown as KubeObject, asTenant);
  const needy = bundleDeployment('needy', world.imageSource('needy:v1', application('needy', 1)));
  const needs = [{ type: 'olm.package', value: { packageName: 'ghost', version: '>=1.0.0' } }];
  const template = (needy['spec'] as { template: object }).template;
  const wanting = { ...template, metadata: { annotations: { 'core.rukpak.io/dependencies': JSON.stringify(needs) } } };
  await world.kube.apply(
    { ...needy, spec: { ...(needy['spec'] as object), template: wanting } } as unknown as KubeObject,
    asTest,
  );
  const held = await world.deploymentWith('needy', {
    type: 'Installed',
    status: 'False',
    reason: 'DependenciesNotMet',
  });
  expect(conditionOf(held, 'Installed')?.message).toContain('package ghost');
});

test('annotations of a Bundle that show what is installed are changed by controllers alone', async () => {
  const version = 'olm.operatorframework.io/bundle-version';
  const described = bundleDeployment('described', world.imageSource('described:v1', application('described', 1)));
  const { template } = described['spec'] as { template: object };
  const write = async (text: string): Promise<void> => {
    const spec = {
      ...(described['spec'] as object),
      template: { ...template, metadata: { annotations: { [version]: text } } },
    };
    await author.apply({ ...described, spec } as unknown as KubeObject, { ...asTenant, force: true });
  };
  await write('1.0.0');
  const { activeBundle: name } = statusOf(
    await world.deploymentWith('described', { type: 'Installed', status: 'True' }),
  );
  const ref = { apiVersion, kind: 'Bundle', name: String(name) };
  const properties = 'core.rukpak.io/bundle-properties';
  for (const [key, value] of [
    [version, '2.0.0'],
    [version, null],
    [properties, '[]'],
  ] as const) {
    const refused = await errorOf(author.patch(ref, { metadata: { annotations: { [key]: value } } }, asTenant));
    expect(isForbidden(refused)).toBe(true);
    expect(String(refused)).toContain(`metadata.annotations: ${key}: written by the controllers alone`);
  }
  await author.patch(ref, { metadata: { annotations: { mine: 'yes' } } }, asTenant);
  await write('1.0.1');
  await eventually(async () => {
    expect((await world.kube.get(ref)).metadata.annotations).toMatchObject({ [version]: '1.0.1', mine: 'yes' });
  });
});

test('users who may write ClusterCatalogs and PlatformOperators, but not their status, cannot decide what is served or installed', async () => {
  const image = {
    ref: 'registry.example.com/hers@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  };
  const written = [
    {
      apiVersion: 'olm.operatorframework.io/v1',
      kind: 'ClusterCatalog',
      metadata: { name: 'hers' },
      spec: { source: { type: 'Image', image: { ref: 'registry.invalid/hers:v1' } } },
      status: { resolvedSource: { type: 'Image', image } },
    },
    {
      apiVersion: 'platform.openshift.io/v1alpha1',
      kind: 'PlatformOperator',
      metadata: { name: 'hers' },
      spec: { package: { name: 'hers' } },
      status: { activeBundleDeployment: { name: 'listed' } },
    },
  ] as unknown as readonly KubeObject[];
  for (const object of written) {
    const made = await author.create(object, asTenant);
    expect(Object.keys(statusOf(made))).toEqual([]);
    const status = object['status'] as JsonObject;
    const ref = { apiVersion: object.apiVersion, kind: object.kind, name: 'hers' };
    expect(isForbidden(await errorOf(author.patch(ref, { status }, { ...asTenant, subresource: 'status' })))).toBe(
      true,
    );
    await author.delete(ref);
  }
});

test('a tenant has no access to the Leases, Secrets and ConfigMaps of the system namespace', async () => {
  const place = 'rukpak-system';
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'core.rukpak.io', namespace: place },
  };
  const release = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'sh.helm.release.v1.a.v1', namespace: place } };
  const content = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'content', namespace: place } };
  for (const object of [lease, release, content]) {
    for (const user of [tenant, author]) {
      expect(isForbidden(await errorOf(user.create(object, asTenant)))).toBe(true);
    }
  }
});
