import { afterEach, beforeEach, expect, test } from 'vitest';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { type BareCluster, openBareCluster } from '../../test/support/index.ts';
import { readCrds } from '../client/crds.ts';
import { createProgress } from '../output/progress.ts';
import { applyManifests, withImage } from './apply-manifests.ts';
import { chooseOverlay, findInstalled } from './installed.ts';
import { removeLeftovers } from './leftovers.ts';
import { readManifests, shownName } from './manifests.ts';
import { assertNoOtherOlm, withOlm } from './olm.ts';
import { leaveOthersKinds } from './others-kinds.ts';
import type { Overlay } from './overlays.ts';
import { removeInstallation } from './removal.ts';

const rbac = 'rbac.authorization.k8s.io/v1';
const user = { fieldManager: 'another' };
const signal = AbortSignal.timeout(300_000);

let cluster: BareCluster;
beforeEach(async () => {
  cluster = await openBareCluster();
});
afterEach(() => cluster[Symbol.asyncDispose]());

async function install(overlay: Overlay, isDryRun = false): Promise<readonly string[]> {
  const printed: string[] = [];
  const shipped = (await readManifests(overlay)) as unknown as KubeObject[];
  const objects = withImage(shipped, 'registry.example.com/l:1');
  const onApplied = (object: KubeObject, outcome: string): void => void printed.push(`${shownName(object)} ${outcome}`);
  const options = { kube: cluster.kube, isDryRun, signal, onApplied };
  await applyManifests(objects, options);
  await removeLeftovers(objects, options);
  return printed;
}

async function hasRole(name: string): Promise<boolean> {
  try {
    await cluster.kube.get({ apiVersion: rbac, kind: 'ClusterRole', name });
    return true;
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}

test('permissions of the previous overlay are removed, and without --overlay the installed one stays', async () => {
  expect(await findInstalled(cluster.kube, signal)).toBeUndefined();
  await install('self-signed');
  const deleted = 'clusterrole.rbac.authorization.k8s.io/rukpak-core-content deleted: the overlay does not have it';
  expect(await install('service-accounts', true)).toContain(deleted);
  expect(await hasRole('rukpak-core-content')).toBe(true);
  expect(await install('service-accounts')).toContain(deleted);
  expect(await hasRole('rukpak-core-content')).toBe(false);
  expect(await hasRole('rukpak-core-service-accounts')).toBe(true);
  const installed = await findInstalled(cluster.kube, signal);
  expect(installed).toEqual({
    overlay: 'service-accounts',
    image: 'registry.example.com/l:1',
    shards: 1,
    hasOlm: false,
    olmNamespace: undefined,
  });
  expect(chooseOverlay(undefined, installed)).toBe('service-accounts');
  expect(chooseOverlay('least', installed)).toBe('least');
});

test('an installation that ended before the controllers were there goes on with its overlay, and no more permissions', async () => {
  const shipped = (await readManifests('least')) as unknown as KubeObject[];
  const begun = shipped.filter(({ kind }) => kind === 'Namespace');
  await applyManifests(begun, { kube: cluster.kube, isDryRun: false, signal, onApplied: () => undefined });
  expect(chooseOverlay(undefined, await findInstalled(cluster.kube, signal))).toBe('least');
});

test('if the installed overlay is unknown, --overlay is required; at the first installation it is not', () => {
  expect(chooseOverlay(undefined, undefined)).toBe('self-signed');
  const installed = { image: undefined, shards: 1, hasOlm: false, olmNamespace: undefined, machines: undefined };
  expect(() => chooseOverlay(undefined, { ...installed, overlay: undefined })).toThrow('set --overlay self-signed|');
  expect(() => chooseOverlay(undefined, { ...installed, overlay: 'own' })).toThrow(
    '"own", which this version does not have',
  );
});

test('a kind that another program has brought is left to it, with all that is there for it alone', async () => {
  const name = 'clustercatalogs.olm.operatorframework.io';
  const crd = (await readCrds()).find(({ metadata }) => (metadata as { name: string }).name === name);
  await cluster.kube.apply(crd as unknown as KubeObject, { fieldManager: 'catalogd' });
  const left: string[] = [];
  const onLeft = ({ metadata }: KubeObject): void => void left.push(metadata.name ?? '');
  const shipped = (await readManifests('self-signed')) as unknown as KubeObject[];
  const retained = await leaveOthersKinds(shipped, { kube: cluster.kube, signal, onLeft });
  expect(left).toEqual([name]);
  const dropped = shipped.filter((object) => !retained.some((one) => shownName(one) === shownName(object)));
  expect(dropped.map(shownName)).toEqual([
    `customresourcedefinition.apiextensions.k8s.io/${name}`,
    'service/catalogs',
    'mutatingwebhookconfiguration.admissionregistration.k8s.io/longshore-mutating-webhook-configuration',
  ]);
  const deployments = JSON.stringify(retained.filter(({ kind }) => kind === 'Deployment'));
  expect(deployments.match(/"--no-cluster-catalogs"/g)).toHaveLength(2);
});

test('an installation retains an option that a user added to a process', async () => {
  await install('least');
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'rukpak-system', name: 'core' };
  const live = (await cluster.kube.get(ref)) as unknown as {
    spec: { template: { spec: { containers: { args: string[] }[] } } };
  };
  const [container] = live.spec.template.spec.containers;
  container?.args.push('--image-policy=/etc/longshore/policy.yaml');
  await cluster.kube.update(live as unknown as KubeObject, user);
  await expect(install('self-signed')).rejects.toThrow(
    'Deployment "core" in namespace "rukpak-system" was given "--image-policy=/etc/longshore/policy.yaml", which it would lose',
  );
  expect(await hasRole('rukpak-core-content')).toBe(false);
});

test('nothing is written to a cluster that is too old', async () => {
  const kube = { ...cluster.kube, serverVersion: () => Promise.resolve('v1.27.16') };
  const options = { kube, isDryRun: false, signal, onApplied: () => undefined };
  await expect(applyManifests([], options)).rejects.toThrow('is of Kubernetes v1.27.16, and 1.28 or newer is needed');
});

test('roles of another owner with a name of ours are neither overwritten nor removed', async () => {
  const rules = [{ nonResourceURLs: ['/metrics', '/more'], verbs: ['get'] }];
  const metadata = { name: 'longshore-metrics-reader' };
  await cluster.kube.create({ apiVersion: rbac, kind: 'ClusterRole', metadata, rules } as unknown as KubeObject, user);
  await expect(install('least')).rejects.toThrow(
    /ClusterRole "longshore-metrics-reader".* exists and is not Longshore's/,
  );
  const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Namespace' });
  expect(items.map(({ metadata: { name } }) => name)).not.toContain('rukpak-system');
  using progress = createProgress(process.stderr, { isQuiet: true });
  const options = { timeoutMs: 30_000, progress, onRemoved: (): void => undefined };
  await removeInstallation({
    kube: cluster.kube,
    isDryRun: false,
    isWithContent: false,
    isWithOperators: false,
    ...options,
  });
  expect(await hasRole('longshore-metrics-reader')).toBe(true);
});

test('a role that an earlier version has installed under another name is removed, and one of a bundle with that name is not', async () => {
  const role = (name: string, labels: Readonly<Record<string, string>>): KubeObject =>
    ({ apiVersion: rbac, kind: 'ClusterRole', metadata: { name, labels }, rules: [] }) as unknown as KubeObject;
  const ours = { 'app.kubernetes.io/part-of': 'longshore' };
  await cluster.kube.apply(role('metrics-reader', ours), { fieldManager: 'longshore' });
  await cluster.kube.apply(role('bundle-viewer', { app: 'operator' }), user);
  const deleted =
    'clusterrole.rbac.authorization.k8s.io/metrics-reader deleted: it is named longshore-metrics-reader now, also in bindings of your own';
  expect(await install('least', true)).toContain(deleted);
  expect(await hasRole('metrics-reader')).toBe(true);
  expect(await install('least')).toContain(deleted);
  expect(await hasRole('metrics-reader')).toBe(false);
  expect(await hasRole('bundle-viewer')).toBe(true);
});

test('with --olm the controllers reconcile its kinds, and without it they lose its permissions', async () => {
  const install = async (isWithOlm: boolean): Promise<void> => {
    const manifests = (await readManifests('self-signed')) as unknown as KubeObject[];
    const shipped = withImage(manifests, 'registry.example.com/l:1');
    const objects = isWithOlm ? await withOlm(shipped) : shipped;
    const options = { kube: cluster.kube, isDryRun: false, signal, onApplied: () => undefined };
    await applyManifests(objects, options);
    await removeLeftovers(objects, options);
  };
  await install(true);
  expect(await findInstalled(cluster.kube, signal)).toMatchObject({ hasOlm: true });
  expect(await hasRole('longshore-olm')).toBe(true);
  const group = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', namespace: 'operators' };
  expect(await cluster.kube.get({ ...group, name: 'global-operators' })).toBeDefined();
  await install(false);
  expect(await findInstalled(cluster.kube, signal)).toMatchObject({ hasOlm: false });
  expect(await hasRole('longshore-olm')).toBe(false);
});

test('beside another Operator Lifecycle Manager nothing is installed', async () => {
  await assertNoOtherOlm(cluster.kube, signal);
  const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'x', image: 'x' }] } };
  const spec = { replicas: 1, selector: { matchLabels: { app: 'x' } }, template };
  const metadata = { name: 'olm-operator', namespace: 'default' };
  await cluster.kube.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }, user);
  await expect(assertNoOtherOlm(cluster.kube, signal)).rejects.toThrow('(Deployment default/olm-operator)');
});
