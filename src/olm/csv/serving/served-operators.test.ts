import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../../../apiserver/index.ts';
import { crd, csv, group, installModes } from '../../../../test/olm/objects.ts';
import { type ExtensionServer, startExtensionServer } from '../../../../test/support/extension-server.ts';
import { eventually, freePort } from '../../../../test/support/index.ts';
import { runControllers } from '../../../../test/support/olm-cluster.ts';
import type { ClusterServiceVersion } from '../../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, systemClock, textAt } from '../../../base/index.ts';
import {
  createKubeClient,
  findObject,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
  refOf,
} from '../../../kube/index.ts';
import { createMetrics, type Metrics } from '../../../metrics/index.ts';
import { addOperatorGroups } from '../../operator-group/controller.ts';
import { addClusterServiceVersions } from '../controller.ts';

const user = { fieldManager: 'test' };
const csvKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
const apiServiceKind = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' };
const configurationKind = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' };
const succeeded = 'Succeeded/InstallSucceeded';
const name = 'boat.v0.1.0';

let server: ApiServer;
let kube: KubeClient;
/** Of the controllers, whose requests are counted. */
let own: KubeClient;
let metrics: Metrics;
let controllers: AsyncDisposable;

beforeAll(async () => {
  server = await startApiServer({ crds: ['crds/olm'] });
  const access = await loadClusterAccess({ text: server.kubeconfig });
  metrics = createMetrics();
  kube = createKubeClient({ access, clock: systemClock });
  own = createKubeClient({ access, clock: systemClock, metrics });
  controllers = await runControllers(own, (manager) => {
    addOperatorGroups(manager, {});
    addClusterServiceVersions(manager);
  });
});

afterAll(async () => {
  await controllers[Symbol.asyncDispose]();
  own.close();
  kube.close();
  await server.stop();
});

async function create(id: string, ...objects: readonly JsonObject[]): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${id}-a` } };
  await kube.create(namespace, user);
  for (const object of objects) {
    await kube.create(JSON.parse(JSON.stringify(object).replaceAll('$id', id)) as KubeObject, user);
  }
}

async function version(id: string): Promise<ClusterServiceVersion> {
  return (await kube.get({ ...csvKind, name, namespace: `${id}-a` })) as unknown as ClusterServiceVersion;
}

async function reaches(id: string, phase: string): Promise<ClusterServiceVersion> {
  return await eventually(async () => {
    const found = await version(id);
    expect(`${found.status?.phase}/${found.status?.reason}`, found.status?.message).toBe(phase);
    return found;
  });
}

/** Waits until the history has these entries one after the other; without what depends on how quickly Pods become ready. */
async function passes(id: string, entries: readonly string[]): Promise<ClusterServiceVersion> {
  return await eventually(async () => {
    const found = await version(id);
    const history = (found.status?.conditions ?? []).map(
      ({ phase, reason, message }) => `${phase}/${reason}: ${message}`,
    );
    const steps = history.filter((entry) => !entry.startsWith('Installing/InstallWaiting'));
    const start = steps.lastIndexOf(entries[0] ?? '');
    expect(steps.slice(start, start + entries.length)).toEqual(entries);
    return found;
  });
}

const reinstalled = [
  'InstallReady/AllRequirementsMet: all requirements found, attempting install',
  'Installing/InstallSucceeded: waiting for install components to report healthy',
  'Succeeded/InstallSucceeded: install strategy completed with no errors',
];

const rule = { apiGroups: ['$id.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['boats'] };
const webhook = {
  type: 'ValidatingAdmissionWebhook',
  generateName: 'w.example.com',
  deploymentName: 'boat',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy: 'Ignore',
  rules: [rule],
};

async function secretOf(id: string): Promise<JsonObject> {
  const secret = await kube.get({ apiVersion: 'v1', kind: 'Secret', namespace: `${id}-a`, name: 'boat-service-cert' });
  return objectAt(secret as JsonObject, 'data') ?? {};
}

async function requestsSoFar(): Promise<number> {
  const { text } = await metrics.show();
  const lines = text.split('\n').filter((line) => line.startsWith('longshore_api_requests_total{'));
  return lines.filter((line) => !line.includes('watch')).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** No request is sent when nothing changes. */
async function isIdle(): Promise<void> {
  await eventually(async () => {
    const before = await requestsSoFar();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await requestsSoFar()).toBe(before);
  });
}

async function podHash(id: string): Promise<string> {
  const live = await kube.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: `${id}-a`, name: 'boat' });
  return textAt(objectAt(live as JsonObject, 'spec', 'template', 'metadata', 'annotations'), 'olmcahash');
}

async function configurationsOf(id: string): Promise<readonly KubeObject[]> {
  return (await kube.list({ ...configurationKind, labelSelector: `olm.owner.namespace=${id}-a` })).items;
}

test('E-053 an operator with a webhook is installed with a certificate, and leaves no webhook behind', async () => {
  await create('hook', group(), crd(), csv({ spec: { webhookdefinitions: [webhook] } }));
  const { status } = await reaches('hook', succeeded);
  const lifeMs = Date.parse(status?.certsRotateAt ?? '') - Date.parse(status?.certsLastUpdated ?? '');
  // The authority may be a second older than the certificate.
  expect(Math.abs(lifeMs - 729 * 86_400_000)).toBeLessThan(5_000);
  const [made] = await configurationsOf('hook');
  expect(made).toMatchObject({
    webhooks: [{ clientConfig: { service: { name: 'boat-service', namespace: 'hook-a' } } }],
  });
  expect(await podHash('hook')).not.toBe('');
  await isIdle();
  await kube.delete({ ...configurationKind, name: made?.metadata.name ?? '' });
  await eventually(async () => expect(await configurationsOf('hook')).toHaveLength(1));
  await passes('hook', [
    'Failed/ComponentUnhealthy: webhooks not installed',
    'Pending/NeedsReinstall: webhooks not installed',
    ...reinstalled,
  ]);
  await kube.delete({ ...csvKind, name, namespace: 'hook-a' });
  await eventually(async () => {
    expect(await configurationsOf('hook')).toEqual([]);
    await expect(version('hook')).rejects.toThrow('not found');
  });
});

test('T20 certificates that are due are replaced, and the Pods with them', async () => {
  await create('due', group(), crd(), csv({ spec: { webhookdefinitions: [webhook] } }));
  await reaches('due', succeeded);
  const [before, hash] = [await secretOf('due'), await podHash('due')];
  const status = { certsRotateAt: '2020-01-01T00:00:00Z' };
  await kube.patch({ ...csvKind, name, namespace: 'due-a' }, { status }, { ...user, subresource: 'status' });
  const due = 'Pending/NeedsCertRotation: CSV owns resources that require a cert refresh';
  const found = await passes('due', [due, ...reinstalled]);
  expect(Date.parse(found.status?.certsRotateAt ?? '')).toBeGreaterThan(Date.now());
  expect((await secretOf('due'))['tls.crt']).not.toBe(before['tls.crt']);
  expect(await podHash('due')).not.toBe(hash);
});

test('a webhook that was changed by another client is corrected without another installation', async () => {
  await create('drift', group(), crd(), csv({ spec: { webhookdefinitions: [webhook] } }));
  const { status } = await reaches('drift', succeeded);
  const [made] = await configurationsOf('drift');
  const webhooks = objectsAt(made as JsonObject, 'webhooks').map((one) => ({
    ...one,
    namespaceSelector: {},
    rules: [],
  }));
  await kube.patch({ ...configurationKind, name: made?.metadata.name ?? '' }, { webhooks }, user);
  await eventually(async () =>
    expect((await configurationsOf('drift'))[0]).toMatchObject({ webhooks: [{ rules: [{ resources: ['boats'] }] }] }),
  );
  expect((await version('drift')).status?.conditions).toEqual(status?.conditions);
});

test('E-054 a webhook that would review what OLM needs is refused', async () => {
  const forbidden = { ...webhook, rules: [{ ...rule, apiGroups: ['operators.coreos.com'] }] };
  await create('forbidden', group(), crd(), csv({ spec: { webhookdefinitions: [forbidden] } }));
  await passes('forbidden', ['Failed/InvalidWebhookDescription: webhook rules cannot include the OLM group']);
  expect(await configurationsOf('forbidden')).toEqual([]);
});

test('E-057 an operator that converts definitions of others is not installed', async () => {
  const conversion = { ...webhook, type: 'ConversionWebhook', conversionCRDs: ['boats.$id.example.com'], rules: [] };
  const spec = {
    webhookdefinitions: [conversion],
    customresourcedefinitions: {},
    installModes: installModes('AllNamespaces'),
  };
  await create('convert', group({ targets: [] }), crd(), csv({ spec }));
  await passes('convert', [
    'Failed/InstallComponentFailed: install strategy failed: csv boat.v0.1.0 does not own CRD boats.convert.example.com',
  ]);
});

/** Serves what the operator would, with the certificate of its Secret. */
async function serve(id: string, port: number): Promise<ExtensionServer> {
  const data = await eventually(() => secretOf(id));
  const text = (key: string): string => Buffer.from(textAt(data, key), 'base64').toString();
  const pair = { certificatePem: text('tls.crt'), privateKeyPem: text('tls.key'), caBundlePem: text('olmCAKey') };
  const service = { apiVersion: 'v1', kind: 'Service', namespace: `${id}-a`, name: 'boat-service' };
  // Simulated Pods answer no requests.
  await kube.patch(service, { spec: { type: 'ExternalName', externalName: 'localhost' } }, user);
  return await startExtensionServer({ group: `${id}.boats.example.com`, port, pair });
}

test('E-012 an operator with an APIService is installed; T19, T32 what is lost is made again, T33 also with certificates that are due', async () => {
  const port = await freePort();
  const api = { name: 'boats', group: '$id.boats.example.com', version: 'v1', kind: 'Widget' };
  const owned = [{ ...api, deploymentName: 'boat', containerPort: port }];
  const spec = { customresourcedefinitions: {}, apiservicedefinitions: { owned } };
  await create('served', group(), csv({ spec }));
  await passes('served', reinstalled.slice(0, 2));
  await using _served = await serve('served', port);
  await reaches('served', succeeded);
  await isIdle();

  const apiService = { ...apiServiceKind, name: 'v1.served.boats.example.com' };
  await kube.delete(apiService);
  const lost = 'apiservice.apiregistration.k8s.io "v1.served.boats.example.com" not found';
  await passes('served', [
    `Failed/APIServiceResourceIssue: ${lost}`,
    `Pending/APIServiceResourcesNeedReinstall: ${lost}`,
    ...reinstalled,
  ]);

  const status = { phase: 'Failed', reason: 'ComponentUnhealthy', certsRotateAt: '2020-01-01T00:00:00Z' };
  await kube.patch({ ...csvKind, name, namespace: 'served-a' }, { status }, { ...user, subresource: 'status' });
  await passes('served', [
    'Pending/NeedsCertRotation: owned APIServices need cert refresh',
    ...reinstalled.slice(0, 2),
  ]);

  await kube.delete({ ...csvKind, name, namespace: 'served-a' });
  await eventually(async () => await expect(kube.get(apiService)).rejects.toThrow('not found'));
});

test('E-013 an APIService of another operator is left to it', async () => {
  const owned = [{ name: 'boats', group: 'apps', version: 'v1', kind: 'Deployment', deploymentName: 'boat' }];
  const spec = { customresourcedefinitions: {}, apiservicedefinitions: { owned } };
  await create('theft', group(), csv({ spec }));
  await passes('theft', ['Failed/OwnerConflict: unable to adopt APIService']);
  expect(await kube.get({ ...apiServiceKind, name: 'v1.apps' })).not.toHaveProperty('spec.service');
});

test('E-014 an APIService whose operator does not exist is deleted, no other one', async () => {
  const labels = (owner: string): Record<string, string> => ({
    'olm.managed': 'true',
    'olm.owner': owner,
    'olm.owner.namespace': 'orphan-a',
    'olm.owner.kind': 'ClusterServiceVersion',
  });
  await create('orphan', group(), crd(), csv());
  const apiService = (group: string, owner: string, namespace: string): KubeObject => ({
    ...apiServiceKind,
    metadata: { name: `v1.${group}`, labels: labels(owner) },
    spec: { group, version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, service: { name: 'boat', namespace } },
  });
  await kube.create(apiService('elsewhere.example.com', 'ship', 'default'), user);
  await kube.create(apiService('owned.example.com', name, 'orphan-a'), user);
  await kube.create(apiService('lost.example.com', 'ship', 'orphan-a'), user);
  await eventually(async () => {
    await expect(kube.get({ ...apiServiceKind, name: 'v1.lost.example.com' })).rejects.toThrow('not found');
  });
  for (const found of ['elsewhere', 'owned']) await kube.get({ ...apiServiceKind, name: `v1.${found}.example.com` });
  await kube.delete({ ...apiServiceKind, name: 'v1.elsewhere.example.com' });
  await kube.delete({ ...csvKind, name, namespace: 'orphan-a' });
  await eventually(async () => {
    await expect(kube.get({ ...apiServiceKind, name: 'v1.owned.example.com' })).rejects.toThrow('not found');
  });
});

test('permissions and webhooks that an operator which does not exist any more has left are deleted, no others', async () => {
  const rbac = 'rbac.authorization.k8s.io';
  const admission = 'admissionregistration.k8s.io/v1';
  const left = (kind: string, id: string, owner: Readonly<Record<string, string>>): KubeObject => {
    const isRbac = kind.startsWith('ClusterRole');
    const labels = { 'olm.managed': 'true', 'olm.owner.namespace': 'removed-a', ...owner };
    const object = { apiVersion: isRbac ? `${rbac}/v1` : admission, kind, metadata: { name: `left-${id}`, labels } };
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: `left-${id}` };
    return kind === 'ClusterRoleBinding' ? { ...object, roleRef, subjects: [] } : object;
  };
  const kind = { 'olm.owner.kind': 'ClusterServiceVersion' };
  await create('removed', group(), crd(), csv());
  const kinds = ['ClusterRole', 'ClusterRoleBinding', 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
  for (const one of kinds) {
    await kube.create(left(one, 'owned', { 'olm.owner': name, ...kind }), user);
    await kube.create(left(one, 'unlabelled', { 'olm.owner': 'ship' }), user);
    await kube.create(left(one, 'lost', { 'olm.owner': 'ship', ...kind }), user);
  }
  const found = async (id: string): Promise<readonly string[]> => {
    const all = await Promise.all(kinds.map((one) => findObject(kube, refOf(left(one, id, {})))));
    return all.flatMap((object) => (object === undefined ? [] : [object.kind]));
  };
  await eventually(async () => expect(await found('lost')).toEqual([]));
  expect(await found('owned')).toEqual(kinds);
  await kube.delete({ ...csvKind, name, namespace: 'removed-a' });
  await eventually(async () => expect(await found('owned')).toEqual([]));
  expect(await found('unlabelled')).toEqual(kinds);
});
