import { expect, test } from 'vitest';
import { startExtensionServer } from '../../../../test/support/extension-server.ts';
import { eventually, freePort } from '../../../../test/support/index.ts';
import {
  api,
  apiServiceKind,
  certificateNow,
  clock,
  cluster,
  configurations,
  context,
  csvKind,
  delegatorRef,
  deploy,
  install,
  isMissing,
  openServingCluster,
  rbac,
  readerRef,
  secretRef,
  serviceRef,
  user,
  webhook,
} from '../../../../test/support/serving-cluster.ts';
import type { ClusterServiceVersion } from '../../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../../base/index.ts';
import {
  areCertificatesDue,
  checkServing,
  ensureServing,
  foreignApiService,
  readServing,
  removeServing,
  servingProblem,
} from './index.ts';

openServingCluster();

const dayMs = 86_400_000;
const csvReference = (csv: ClusterServiceVersion) => ({
  ...csvKind,
  name: csv.metadata.name,
  uid: csv.metadata.uid ?? '',
});

test('E-012 an owned APIService is served by the Deployment, with a certificate and the permissions of an extension API server', async () => {
  const port = await freePort();
  const csv = await install({ apis: [{ ...api, containerPort: port }] });
  expect(readServing(context, csv)).toBeUndefined();
  const deployment = await deploy(csv);
  const owner = { ...csvReference(csv), controller: false, blockOwnerDeletion: false };
  expect(await cluster.kube.get(serviceRef)).toMatchObject({
    metadata: { ownerReferences: [owner] },
    spec: { selector: { app: 'boat' }, ports: [{ name: String(port), port, targetPort: port }] },
  });
  const secret = await cluster.kube.get(secretRef);
  const hash = secret.metadata.annotations?.['olmcahash'];
  expect(Object.keys(objectAt(secret as JsonObject, 'data') ?? {}).toSorted()).toEqual([
    'olmCAKey',
    'tls.crt',
    'tls.key',
  ]);
  expect(objectAt(deployment as JsonObject, 'spec', 'template')).toMatchObject({
    metadata: { annotations: { olmcahash: hash } },
    spec: {
      serviceAccountName: 'default',
      containers: [
        {
          volumeMounts: [
            { name: 'apiservice-cert', mountPath: '/apiserver.local.config/certificates' },
            { name: 'webhook-cert', mountPath: '/tmp/k8s-webhook-server/serving-certs' },
          ],
        },
      ],
    },
  });
  const account = { kind: 'ServiceAccount', name: 'default', namespace: 'a' };
  expect((await cluster.kube.get(delegatorRef))['subjects']).toEqual([account]);
  expect((await cluster.kube.get(readerRef))['subjects']).toEqual([account]);
  expect(await checkServing(context, csv)).toMatchObject({
    apiServices: { state: 'NotInstalled' },
    webhooks: { state: 'Healthy' },
  });

  const text = (key: string): string =>
    Buffer.from(textAt(objectAt(secret as JsonObject, 'data'), key), 'base64').toString();
  const pair = { certificatePem: text('tls.crt'), privateKeyPem: text('tls.key'), caBundlePem: text('olmCAKey') };
  await using _server = await startExtensionServer({ group: api.group, port, pair });
  // No Pods run here, and Endpoints may not be on loopback.
  await cluster.kube.patch(serviceRef, { spec: { type: 'ExternalName', externalName: 'localhost' } }, user);
  await eventually(async () => expect((await checkServing(context, csv)).apiServices).toEqual({ state: 'Healthy' }));
  expect(await servingProblem(context, csv)).toBeUndefined();
});

test('T19 what is missing or was changed is named, and corrected by the next installation', async () => {
  const csv = await install({ apis: [api] });
  await deploy(csv);
  const apiService = { ...apiServiceKind, name: 'v1.boats.example.com' };
  const isCorrected = async (): Promise<void> => {
    // A controller retries as well where the API server has changed the APIService meanwhile.
    await eventually(() => deploy(csv));
    await eventually(async () => expect(await servingProblem(context, csv)).toBeUndefined());
  };
  await isCorrected();
  const lost = [
    { ref: apiService, message: 'apiservice.apiregistration.k8s.io "v1.boats.example.com" not found' },
    { ref: serviceRef, message: 'service "boat-service" not found' },
    {
      ref: { ...secretRef, apiVersion: rbac, kind: 'Role' },
      message: 'role.rbac.authorization.k8s.io "boat-service-cert" not found',
    },
    { ref: readerRef, message: 'rolebinding.rbac.authorization.k8s.io "boat-service-auth-reader" not found' },
    {
      ref: delegatorRef,
      message: 'clusterrolebinding.rbac.authorization.k8s.io "boat-service-system:auth-delegator" not found',
    },
    { ref: secretRef, message: 'secret "boat-service-cert" not found' },
  ];
  for (const { ref, message } of lost) {
    await cluster.kube.delete(ref);
    await eventually(async () => expect(await servingProblem(context, csv)).toEqual({ message, isActionable: true }));
    await isCorrected();
  }
  await cluster.kube.patch(apiService, { spec: { service: { name: 'other' } } }, user);
  await eventually(async () =>
    expect(await servingProblem(context, csv)).toMatchObject({
      message: 'found APIService and service reference mismatch',
    }),
  );
  await isCorrected();
  await cluster.kube.patch(apiService, { metadata: { labels: { 'olm.owner': 'other' } } }, user);
  await eventually(async () =>
    expect(await servingProblem(context, csv)).toEqual({
      message: 'v1.boats.example.com is unadoptable',
      isActionable: false,
    }),
  );
});

test('E-056 a good certificate is reused; it is replaced a day before it expires, and when the status requests it', async () => {
  const csv = await install({ apis: [api], webhooks: [webhook] });
  const { certificates } = await ensureServing(context, csv);
  const first = await certificateNow();
  const expiryMs = clock.now() + 730 * dayMs;
  expect(Math.abs(Date.parse(certificates?.rotateAt ?? '') - (expiryMs - dayMs))).toBeLessThan(5_000);
  expect(Math.abs(Date.parse(certificates?.updatedAt ?? '') - clock.now())).toBeLessThan(5_000);
  expect((await ensureServing(context, csv)).certificates).toEqual(certificates);
  expect(await certificateNow()).toBe(first);
  const status = { certsLastUpdated: certificates?.updatedAt ?? '', certsRotateAt: certificates?.rotateAt ?? '' };
  expect(areCertificatesDue(context, { ...csv, status })).toBe(false);

  await clock.pass(729 * dayMs + 60_000);
  expect(areCertificatesDue(context, { ...csv, status })).toBe(true);
  await ensureServing(context, { ...csv, status });
  const second = await certificateNow();
  expect(second).not.toBe(first);
  const { spec } = await cluster.kube.get({ ...apiServiceKind, name: 'v1.boats.example.com' });
  const { caBundle } = spec as { caBundle: string };
  // Pods that have the certificate before are trusted until they are replaced.
  expect(
    Buffer.from(caBundle, 'base64')
      .toString()
      .match(/BEGIN CERTIFICATE/g),
  ).toHaveLength(2);
  const [configuration] = await configurations();
  expect(objectAt(objectsAt(configuration as JsonObject, 'webhooks')[0], 'clientConfig')?.['caBundle']).toBe(caBundle);

  const past = { certsRotateAt: new Date(clock.now() - 1_000).toISOString() };
  await ensureServing(context, { ...csv, status: past });
  expect(await certificateNow()).not.toBe(second);

  await clock.pass(731 * dayMs);
  expect(readServing(context, csv)).toBeUndefined();
  const expired = await certificateNow();
  await ensureServing(context, csv);
  expect(await certificateNow()).not.toBe(expired);
});

test('E-013 an APIService of another operator, or of the cluster is neither adopted nor changed', async () => {
  const first = await install({ apis: [api] });
  await deploy(first);
  const second = await install({ namespace: 'b', apis: [api] });
  expect(foreignApiService(context, second)).toBe('v1.boats.example.com');
  await expect(ensureServing(context, second)).rejects.toThrow('is not adoptable');
  // Giving way in one namespace is no invitation to another.
  const giving = { status: { phase: 'Replacing' } };
  await cluster.kube.patch({ ...csvKind, namespace: 'a', name: 'boat.v1' }, giving, { ...user, subresource: 'status' });
  await eventually(() => expect(context.caches.versions.get('boat.v1', 'a')).toMatchObject(giving));
  expect(foreignApiService(context, second)).toBe('v1.boats.example.com');
  const builtin = await install({ name: 'apps.v1', namespace: 'b', apis: [{ ...api, group: 'apps' }] });
  expect(foreignApiService(context, builtin)).toBe('v1.apps');
  await expect(ensureServing(context, builtin)).rejects.toThrow('is not adoptable');
  const { spec } = await cluster.kube.get({ ...apiServiceKind, name: 'v1.boats.example.com' });
  expect(spec).toMatchObject({ service: { namespace: 'a' } });
});

test('E-016 the successor takes over what its predecessor serves with, and the certificate', async () => {
  const first = await install({ apis: [api], webhooks: [webhook] });
  await deploy(first);
  const certificate = await certificateNow();
  const next = await install({ name: 'boat.v2', apis: [api], webhooks: [webhook], spec: { replaces: 'boat.v1' } });
  expect(foreignApiService(context, next)).toBeUndefined();
  expect(readServing(context, next)).toBeDefined();
  await deploy(next);
  expect(await certificateNow()).toBe(certificate);
  await eventually(async () => expect(await servingProblem(context, next)).toBeUndefined());
  await removeServing(context, first);
  expect(await cluster.kube.get({ ...apiServiceKind, name: 'v1.boats.example.com' })).toMatchObject({
    metadata: { labels: { 'olm.owner': 'boat.v2' } },
  });
  expect(await isMissing(delegatorRef)).toBe(false);
  expect(await configurations()).toMatchObject([{ metadata: { labels: { 'olm.owner': 'boat.v2' } } }]);
  expect((await cluster.kube.get(serviceRef)).metadata.ownerReferences?.map(({ name }) => name)).toEqual([
    'boat.v1',
    'boat.v2',
  ]);
});

test.each([
  { what: 'Service', object: { apiVersion: 'v1', spec: { ports: [{ port: 1 }] } }, name: 'boat-service' },
  { what: 'Secret', object: { apiVersion: 'v1', data: { secret: 'eA==' } }, name: 'boat-service-cert' },
  { what: 'Role', object: { apiVersion: rbac, rules: [] }, name: 'boat-service-cert' },
])(
  'a $what of another owner stays as it is, and the installation fails with its name',
  async ({ what, object, name }) => {
    const live = await cluster.kube.create(
      { ...object, kind: what, metadata: { name, namespace: 'a', labels: { 'olm.managed': 'true' } } },
      user,
    );
    const csv = await install({ apis: [api] });
    const text = `${what} "${name}" in namespace "a" exists and belongs to another owner: delete or rename it`;
    await expect(ensureServing(context, csv)).rejects.toThrow(text);
    const { resourceVersion } = (
      await cluster.kube.get({ apiVersion: object.apiVersion, kind: what, namespace: 'a', name })
    ).metadata;
    expect(resourceVersion).toBe(live.metadata.resourceVersion);
  },
);

test('an API or webhook that no Deployment serves is an invalid strategy', async () => {
  const csv = await install({ webhooks: [{ ...webhook, deploymentName: 'ship' }] });
  await expect(ensureServing(context, csv)).rejects.toThrow(
    'webhook w.boats.example.com is to be served by Deployment "ship", which the install strategy does not have',
  );
  expect(readServing(context, csv)).toBeUndefined();
  expect(await servingProblem(context, csv)).toBeUndefined();
});

test('annotations of the Subscription are added to APIServices, and replace none', async () => {
  const csv = await install({ apis: [api] });
  await ensureServing({ ...context, annotations: { team: 'harbour' } }, csv);
  await eventually(() => ensureServing({ ...context, annotations: { team: 'dock', site: 'north' } }, csv));
  const { metadata } = await cluster.kube.get({ ...apiServiceKind, name: 'v1.boats.example.com' });
  expect(metadata.annotations).toEqual({ team: 'harbour', site: 'north' });
});
