import { afterEach, beforeEach, expect, test } from 'vitest';
import { isNotFound, type KubeObject, NoKindMatch } from '../../src/kube/index.ts';
import { type BareCluster, eventually, openBareCluster } from '../../test/support/index.ts';
import { createProgress } from '../output/progress.ts';
import { applyManifests, withImage } from './apply-manifests.ts';
import { readManifests } from './manifests.ts';
import { withOlm } from './olm.ts';
import { removeInstallation, type Stayed } from './removal.ts';

const user = { fieldManager: 'user' };
const signal = AbortSignal.timeout(300_000);
const subscription = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'tide-gauge', namespace: 'operators' },
  spec: { name: 'tide-gauge', source: 'examples', sourceNamespace: 'olm' },
};

let cluster: BareCluster;
beforeEach(async () => {
  cluster = await openBareCluster();
  const shipped = withImage((await readManifests('self-signed')) as unknown as KubeObject[], 'registry.example/l:1');
  const options = { kube: cluster.kube, isDryRun: false, signal, onApplied: () => undefined };
  await applyManifests(await withOlm(shipped), options);
});
afterEach(() => cluster[Symbol.asyncDispose]());

async function remove(isWithOperators = false): Promise<Stayed> {
  using progress = createProgress(process.stderr, { isQuiet: true });
  const terms = { kube: cluster.kube, isDryRun: false, timeoutMs: 60_000, progress, onRemoved: () => undefined };
  return await removeInstallation({ ...terms, isWithContent: false, isWithOperators });
}

async function names(apiVersion: string, kind: string): Promise<readonly string[]> {
  cluster.kube.forgetKinds(apiVersion);
  try {
    return (await cluster.kube.list({ apiVersion, kind })).items.map(({ metadata }) => metadata.name ?? '');
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return [];
    throw thrown;
  }
}

const definitions = async (): Promise<readonly string[]> =>
  (await names('apiextensions.k8s.io/v1', 'CustomResourceDefinition')).filter((name) => name.endsWith('.coreos.com'));

test('nothing is left of Operator Lifecycle Manager where it was not used', async () => {
  expect((await definitions()).length).toBeGreaterThan(7);
  expect((await remove()).kinds).toEqual([]);
  expect(await definitions()).toEqual([]);
  expect(await names('rbac.authorization.k8s.io/v1', 'ClusterRole')).not.toContain('aggregate-olm-edit');
  await eventually(async () => expect(await names('v1', 'Namespace')).not.toContain('operators'));
  expect(await names('v1', 'Namespace')).not.toContain('olm');
});

test('a kind with objects stays, and so do the groups, unless the operators are to go', async () => {
  await cluster.kube.create(subscription, user);
  const { kinds } = await remove();
  const line =
    'customresourcedefinition.apiextensions.k8s.io/subscriptions.operators.coreos.com stays, with tide-gauge';
  expect(kinds).toEqual([line]);
  expect(await definitions()).toEqual([
    'olmconfigs.operators.coreos.com',
    'operatorgroups.operators.coreos.com',
    'subscriptions.operators.coreos.com',
  ]);
  expect(await names('operators.coreos.com/v1', 'OperatorGroup')).toContain('global-operators');
  expect((await remove(true)).kinds).toEqual([]);
  expect(await definitions()).toEqual([]);
});

test('what holds the deletion of operators that stay is reported', async () => {
  const finalizers = ['operators.coreos.com/csv-cleanup'];
  const metadata = { name: 'tide-gauge.v1', namespace: 'operators', finalizers };
  const spec = { displayName: 'Tide gauge', install: { strategy: 'deployment', spec: { deployments: [] } } };
  await cluster.kube.create({ ...subscription, kind: 'ClusterServiceVersion', metadata, spec }, user);
  expect((await remove()).kinds).toEqual([
    expect.stringContaining(`with tide-gauge.v1; their finalizer ${finalizers[0]}`),
  ]);
});

function waterKind(kind: string, scope: 'Namespaced' | 'Cluster'): KubeObject {
  const plural = `${kind.toLowerCase()}s`;
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.water.example` },
    spec: { group: 'water.example', scope, names, versions },
  } as unknown as KubeObject;
}

/** A volume that an operator has made for an object. */
function volumeOf({ apiVersion, kind, metadata }: KubeObject, namespace: string): KubeObject {
  const { name = '', uid = '' } = metadata;
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const owner = { apiVersion, kind, name, uid, controller: true };
  const claim = { name: `of-${name}`, namespace, ownerReferences: [owner] };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: claim, spec } as unknown as KubeObject;
}

test('namespaces with custom resources, or with what operators have made for them, stay with their operators removed', async () => {
  const { kube } = cluster;
  const apiVersion = 'water.example/v1';
  // As a bundle that was released has left it.
  for (const crd of [waterKind('Lake', 'Namespaced'), waterKind('Sea', 'Cluster')])
    await kube.create(crd, { fieldManager: 'longshore' });
  const made = async (kind: string, metadata: KubeObject['metadata']): Promise<KubeObject> =>
    await eventually(async () => {
      kube.forgetKinds(apiVersion);
      return await kube.create({ apiVersion, kind, metadata }, user);
    });
  const lake = await made('Lake', { name: 'geneva', namespace: 'operators' });
  const sea = await made('Sea', { name: 'baltic' });
  for (const volume of [volumeOf(lake, 'operators'), volumeOf(sea, 'rukpak-system')]) await kube.create(volume, user);
  expect(await remove(true)).toEqual({
    others: ['PersistentVolumeClaim of-baltic'],
    kinds: ['namespace/operators stays: there are also Lake geneva'],
  });
  expect(await names(apiVersion, 'Lake')).toEqual(['geneva']);
  expect((await names('v1', 'PersistentVolumeClaim')).toSorted()).toEqual(['of-baltic', 'of-geneva']);
  await eventually(async () => expect(await names('v1', 'Namespace')).not.toContain('olm'));
});
