import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleName } from '../../provisioners/hash.ts';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { isNotFound, serviceAccountUser } from '../../src/kube/index.ts';
import { application, brokenApplication, configMap, namespace } from '../e2e/contents.ts';
import {
  bundleDeployment,
  conditionOf,
  errorOf,
  startWorld,
  statusOf,
  templateHashOf,
  type World,
} from '../e2e/world.ts';
import { eventually, fileEntries, tarFile } from '../support/index.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const rbac = 'rbac.authorization.k8s.io/v1';
const asTest = { fieldManager: 'test', force: true };
const mallory = { namespace: 'default', name: 'mallory' };

let world: World;
/** May read, create and delete Bundles, and nothing else. */
let attacker: KubeClient;

beforeAll(async () => {
  world = await startWorld();
  const { kube } = world;
  await kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: mallory }, asTest);
  const metadata = { name: 'bundle-maker' };
  const rules = [
    { apiGroups: ['core.rukpak.io'], resources: ['bundles'], verbs: ['get', 'list', 'create', 'delete'] },
    { nonResourceURLs: ['/uploads/*'], verbs: ['update'] },
  ];
  await kube.apply({ apiVersion: rbac, kind: 'ClusterRole', metadata, rules } as unknown as KubeObject, asTest);
  const subjects = [{ kind: 'ServiceAccount', ...mallory }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name };
  const binding = { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata, subjects, roleRef };
  await kube.apply(binding as unknown as KubeObject, asTest);
  attacker = kube.actingAs(serviceAccountUser(mallory));
});
afterAll(() => world[Symbol.asyncDispose]());

/** Sends an archive to the content server. */
async function upload(bundleName: string, body: Buffer): Promise<void> {
  const authorization = `Bearer ${await world.tokenOf(mallory.name)}`;
  const url = new URL(`/uploads/${bundleName}.tgz`, world.platform.contentUrl);
  const { data } = await world.get('Secret', 'rukpak-ca', 'rukpak-system');
  const ca = Buffer.from((data as Record<string, string>)['ca.crt'] ?? '', 'base64').toString();
  const sent = request(url, { method: 'PUT', headers: { authorization }, ca });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(201);
}

const bundleRef = (name: string) => ({ apiVersion, kind: 'Bundle', name });
const hostile = (name: string) => ({
  'manifests/all.yaml': `${namespace(name)}---\n${configMap('hostile', name, { by: 'mallory' })}`,
});
const hostileObject = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'hostile' });

async function isAbsent(ref: ReturnType<typeof hostileObject>): Promise<boolean> {
  try {
    await world.kube.get(ref);
    return false;
  } catch (thrown) {
    if (isNotFound(thrown)) return true;
    throw thrown;
  }
}

/** Deletes the Bundle, and creates another one of its name with everything that a reader of it could copy. */
async function impersonate(victim: KubeObject, source: object): Promise<KubeObject> {
  const { name = '', labels = {}, ownerReferences = [] } = victim.metadata;
  await attacker.delete(bundleRef(name));
  await eventually(async () => expect(isNotFound(await errorOf(world.kube.get(bundleRef(name))))).toBe(true));
  const spec = { provisionerClassName: 'core-rukpak-io-plain', source };
  const metadata = { name, labels, ownerReferences };
  return await attacker.create({ apiVersion, kind: 'Bundle', metadata, spec } as unknown as KubeObject, asTest);
}

test('a Bundle that replaces the active one while an upgrade is pending is never installed', async () => {
  const name = 'hijacked';
  const good = bundleDeployment(name, world.imageSource(`${name}:v1`, application(name, 1)));
  await world.kube.apply(good, asTest);
  const installed = await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  await world.kube.apply(bundleDeployment(name, world.imageSource(`${name}:v2`, brokenApplication(name))), asTest);
  await world.deploymentWith(name, { type: 'Installed', status: 'False' });
  const active = String(statusOf(installed)['activeBundle']);
  const made = await impersonate(await world.get('Bundle', active), world.imageSource('hostile:v1', hostile(name)));
  await world.bundleWithPhase(active, 'Unpacked');
  // A reconcile that keeps the active version whole.
  await world.kube.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: name, name: 'settings' },
    { data: { version: 'drift' } },
    { fieldManager: 'test' },
  );
  await world.kube.apply(bundleDeployment(name, world.imageSource(`${name}:v3`, brokenApplication(name))), asTest);
  await world.deploymentWith(name, { type: 'Installed', status: 'False' });
  expect(await isAbsent(hostileObject(name))).toBe(true);
  expect((await world.get('Bundle', active)).metadata.uid).toBe(made.metadata.uid);
});

/** The Bundle that the deployment needs, created by another user. */
async function createEarly(
  desired: KubeObject,
  metadata: object = {},
  fill: (bundleName: string) => Promise<void> = () => Promise.resolve(),
): Promise<KubeObject> {
  const { name = '' } = desired.metadata;
  const hash = templateHashOf(desired);
  const labels = {
    'core.rukpak.io/owner-kind': 'BundleDeployment',
    'core.rukpak.io/owner-name': name,
    'core.rukpak.io/bundle-template-hash': hash,
  };
  const { spec } = (desired['spec'] as unknown as { template: { spec: JsonObject } }).template;
  const early = { apiVersion, kind: 'Bundle', metadata: { name: bundleName(name, hash), labels, ...metadata }, spec };
  const made = await attacker.create(early as unknown as KubeObject, asTest);
  await fill(made.metadata.name ?? '');
  await world.bundleWithPhase(made.metadata.name ?? '', 'Unpacked');
  return made;
}

test('a Bundle that was created before its BundleDeployment is named, and not adopted', async () => {
  const name = 'early';
  const desired = bundleDeployment(name, world.imageSource(`${name}:v1`, hostile(name)));
  const made = await createEarly(desired);
  const early = made.metadata.name ?? '';
  // The tag moves between the attack and the installation.
  world.imageSource(`${name}:v1`, application(name, 1));
  await world.kube.apply(desired, asTest);
  const waiting = await world.deploymentWith(name, {
    type: 'HasValidBundle',
    status: 'Unknown',
    reason: 'ReconcileFailed',
  });
  const message = conditionOf(waiting, 'HasValidBundle')?.message;
  expect(message).toContain(`Bundle "${early}" exists`);
  expect(message).toContain(`kubectl delete bundle ${early}`);
  expect((await world.get('Bundle', early)).metadata.uid).toBe(made.metadata.uid);
  await world.kube.delete(bundleRef(early));
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  expect(await isAbsent(hostileObject(name))).toBe(true);
});

test('a Bundle that claims to be controlled by the BundleDeployment, which did not create it, is replaced', async () => {
  const name = 'claimed';
  const desired = bundleDeployment(name, world.imageSource(`${name}:v1`, hostile(name)));
  const paused = { ...desired, metadata: { name, annotations: { 'core.rukpak.io/paused': 'true' } } };
  const { metadata } = await world.kube.create(paused, asTest);
  const reference = { apiVersion, kind: 'BundleDeployment', name, uid: metadata.uid, controller: true };
  const made = await createEarly(desired, { ownerReferences: [reference] });
  world.imageSource(`${name}:v1`, application(name, 1));
  await world.kube.patch(
    { apiVersion, kind: 'BundleDeployment', name },
    { metadata: { annotations: { 'core.rukpak.io/paused': null } } },
    { fieldManager: 'test' },
  );
  await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  expect((await world.get('Bundle', made.metadata.name ?? '')).metadata.uid).not.toBe(made.metadata.uid);
  expect(await isAbsent(hostileObject(name))).toBe(true);
});

test('content that was uploaded for a Bundle of another user is not installed', async () => {
  const name = 'uploaded';
  const desired = bundleDeployment(name, { type: 'upload', upload: {} });
  const body = gzipSync(tarFile(fileEntries(hostile(name))));
  const early = await createEarly(desired, {}, (bundle) => upload(bundle, body));
  await world.kube.apply(desired, asTest);
  await world.deploymentWith(name, { type: 'HasValidBundle', status: 'Unknown', reason: 'ReconcileFailed' });
  await attacker.delete(bundleRef(early.metadata.name ?? ''));
  const waiting = await world.deploymentWith(name, {
    type: 'HasValidBundle',
    status: 'True',
    reason: 'UnpackPending',
  });
  expect(statusOf(waiting)['activeBundle'] ?? '').toBe('');
  expect(await isAbsent(hostileObject(name))).toBe(true);
});
