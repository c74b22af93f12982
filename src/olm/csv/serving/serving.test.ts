import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startExtensionServer } from '../../../../test/support/extension-server.ts';
import { type BareCluster, eventually, freePort, SteppedClock } from '../../../../test/support/index.ts';
import { openOlmCluster, temporaryNamespace } from '../../../../test/support/olm-cluster.ts';
import { type ClusterServiceVersion, parseClusterServiceVersion } from '../../../api/index.ts';
import {
  type JsonObject,
  objectAt,
  objectsAt,
  silentLogger,
  systemClock,
  TransientError,
  textAt,
} from '../../../base/index.ts';
import { createManager } from '../../../controller/index.ts';
import { isNotFound, type KubeClient, type KubeObject } from '../../../kube/index.ts';
import {
  areCertificatesDue,
  checkServing,
  createServingContext,
  ensureServing,
  foreignApiService,
  readServing,
  removeServing,
  type ServingContext,
  servingProblem,
} from './index.ts';

const user = { fieldManager: 'test' };
const csvKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
const rbac = 'rbac.authorization.k8s.io/v1';
const admission = 'admissionregistration.k8s.io/v1';
const apiServiceKind = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' };
const definitionKind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const secretRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'a', name: 'boat-service-cert' };
const serviceRef = { apiVersion: 'v1', kind: 'Service', namespace: 'a', name: 'boat-service' };
const delegatorRef = { apiVersion: rbac, kind: 'ClusterRoleBinding', name: 'boat-service-system:auth-delegator' };
const readerRef = { apiVersion: rbac, kind: 'RoleBinding', namespace: 'kube-system', name: 'boat-service-auth-reader' };
const dayMs = 86_400_000;
const csvReference = (csv: ClusterServiceVersion) => ({
  ...csvKind,
  name: csv.metadata.name,
  uid: csv.metadata.uid ?? '',
});

let cluster: BareCluster;
let context: ServingContext;
let clock: SteppedClock;
let namespaces: AsyncDisposableStack;
let stop: AbortController;

beforeAll(async () => {
  cluster = await openOlmCluster();
  stop = new AbortController();
  const manager = createManager({ kube: cluster.kube, clock: systemClock, log: silentLogger(), signal: stop.signal });
  context = createServingContext(manager);
  await Promise.all(Object.values(context.caches).map(({ whenSynced }) => whenSynced));
});

afterAll(async () => {
  stop.abort();
  await cluster[Symbol.asyncDispose]();
});

beforeEach(async () => {
  clock = new SteppedClock(Date.now());
  context = { ...context, clock };
  namespaces = new AsyncDisposableStack();
  for (const name of ['a', 'b']) {
    namespaces.use(await temporaryNamespace(cluster.kube, name));
    const group = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
    await cluster.kube.create(
      { ...group, metadata: { name: 'group', namespace: name }, spec: { targetNamespaces: [name] } },
      user,
    );
  }
  await eventually(() => expect(context.groupsIn.get('b')).toHaveLength(1));
});

afterEach(async () => {
  const { validatingWebhooks, mutatingWebhooks, clusterRoleBindings, apiServices, roleBindings } = context.caches;
  const made = [validatingWebhooks, mutatingWebhooks, clusterRoleBindings, apiServices, roleBindings].flatMap((cache) =>
    cache.labelled('olm.managed', 'true'),
  );
  for (const { apiVersion, kind, metadata } of made) {
    const { name = '', namespace } = metadata;
    await cluster.kube.delete({ apiVersion, kind, name, namespace }).catch(() => undefined);
  }
  await cluster.kube.delete({ ...definitionKind, name: 'boats.example.com' }).catch(() => undefined);
  await namespaces[Symbol.asyncDispose]();
  await eventually(() => {
    const left = Object.values(context.caches).flatMap((cache) => cache.labelled('olm.managed', 'true'));
    expect(left).toEqual([]);
    expect(context.caches.versions.values()).toEqual([]);
    expect(context.caches.definitions.get('boats.example.com')).toBeUndefined();
  });
});

const api = { name: 'boats', group: 'boats.example.com', version: 'v1', kind: 'Widget', deploymentName: 'boat' };
const rules = [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['boats'] }];
const webhook = {
  generateName: 'w.boats.example.com',
  type: 'ValidatingAdmissionWebhook',
  deploymentName: 'boat',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Ignore',
  rules,
};

interface Plan {
  readonly name?: string;
  readonly namespace?: string;
  readonly apis?: readonly JsonObject[];
  readonly webhooks?: readonly JsonObject[];
  readonly spec?: JsonObject;
}

async function install({
  name = 'boat.v1',
  namespace = 'a',
  apis = [],
  webhooks = [],
  spec = {},
}: Plan): Promise<ClusterServiceVersion> {
  const selector = { matchLabels: { app: 'boat' } };
  const template = { metadata: { labels: { app: 'boat' } }, spec: { containers: [{ name: 'operator', image: 'x' }] } };
  const strategy = { strategy: 'deployment', spec: { deployments: [{ name: 'boat', spec: { selector, template } }] } };
  const owned = { owned: [...apis] };
  const made = await cluster.kube.create(
    {
      ...csvKind,
      metadata: { name, namespace },
      spec: {
        displayName: 'Boat',
        install: strategy,
        apiservicedefinitions: owned,
        webhookdefinitions: [...webhooks],
        ...spec,
      },
    },
    user,
  );
  await eventually(() => expect(context.caches.versions.get(name, namespace)).toBeDefined());
  return parseClusterServiceVersion(made);
}

/** What the controller of ClusterServiceVersions makes of the result. */
async function deploy(csv: ClusterServiceVersion): Promise<KubeObject> {
  const serving = await ensureServing(context, csv);
  const { namespace = '' } = csv.metadata;
  const [{ name, spec } = { name: '', spec: {} }] = csv.spec.install.spec?.deployments ?? [];
  const metadata = { name, namespace, labels: { 'olm.managed': 'true' } };
  const amended = serving.amend(name, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { ...spec } });
  const deployment = (await cluster.kube.apply(amended, { ...user, force: true })).object;
  await eventually(() =>
    expect(context.caches.deployments.get(name, namespace)?.metadata.generation).toBe(deployment.metadata.generation),
  );
  return deployment;
}

const configurations = async (kind = 'ValidatingWebhookConfiguration'): Promise<readonly KubeObject[]> =>
  (await cluster.kube.list({ apiVersion: admission, kind, labelSelector: 'olm.owner' })).items;

async function isMissing(ref: {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
}): Promise<boolean> {
  try {
    await cluster.kube.get(ref);
    return false;
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return true;
  }
}

async function certificateNow(): Promise<string> {
  return textAt(objectAt((await cluster.kube.get(secretRef)) as JsonObject, 'data'), 'tls.crt');
}

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

test('E-053 a webhook is called for the namespaces of the group; changes are corrected, and a removed description is cleaned up', async () => {
  const mutating = {
    ...webhook,
    type: 'MutatingAdmissionWebhook',
    generateName: 'm.boats.example.com',
    webhookPath: '/m',
    containerPort: 8443,
  };
  const csv = await install({ webhooks: [webhook, mutating] });
  await deploy(csv);
  const [group] = context.groupsIn.get('a');
  const matchLabels = { [`olm.operatorgroup.uid/${group?.metadata.uid}`]: '' };
  const service = { name: 'boat-service', namespace: 'a', port: 443 };
  const [validating, ...others] = await configurations();
  expect(others).toEqual([]);
  expect(validating).toMatchObject({
    metadata: { generateName: 'w.boats.example.com-', labels: { 'olm.owner': 'boat.v1', 'olm.owner.namespace': 'a' } },
    webhooks: [
      {
        name: 'w.boats.example.com',
        clientConfig: { service },
        namespaceSelector: { matchLabels },
        failurePolicy: 'Ignore',
      },
    ],
  });
  expect(await configurations('MutatingWebhookConfiguration')).toMatchObject([
    { webhooks: [{ clientConfig: { service: { ...service, port: 8443, path: '/m' } }, reinvocationPolicy: 'Never' }] },
  ]);
  expect((await cluster.kube.get(serviceRef))['spec']).toMatchObject({ ports: [{ port: 443 }, { port: 8443 }] });
  const idle = { apiServices: { state: 'Healthy' }, webhooks: { state: 'Healthy' } };
  const before = (await configurations()).map(({ metadata }) => metadata.resourceVersion);
  expect(await checkServing(context, csv)).toEqual(idle);
  expect((await configurations()).map(({ metadata }) => metadata.resourceVersion)).toEqual(before);

  const name = validating?.metadata.name ?? '';
  const webhooks = objectsAt(validating as JsonObject, 'webhooks').map((one) => ({ ...one, namespaceSelector: {} }));
  await cluster.kube.patch({ apiVersion: admission, kind: 'ValidatingWebhookConfiguration', name }, { webhooks }, user);
  await eventually(async () => {
    expect(await checkServing(context, csv)).toEqual(idle);
    expect(objectsAt((await configurations())[0] as JsonObject, 'webhooks')[0]).toMatchObject({
      namespaceSelector: { matchLabels },
    });
  });
  const { items } = await cluster.kube.list({
    apiVersion: admission,
    kind: 'ValidatingWebhookConfiguration',
    labelSelector: 'olm.owner',
  });
  expect(items).toHaveLength(1);

  const changed = {
    ...csv,
    spec: { ...csv.spec, webhookdefinitions: [{ ...csv.spec.webhookdefinitions?.[0], timeoutSeconds: 3 }] },
  } as ClusterServiceVersion;
  expect((await checkServing(context, changed)).webhooks).toEqual({ state: 'NotInstalled' });
  expect(await configurations('MutatingWebhookConfiguration')).toEqual([]);
  await ensureServing(context, changed);
  expect((await checkServing(context, changed)).webhooks).toEqual({ state: 'Healthy' });
  expect(objectsAt((await configurations())[0] as JsonObject, 'webhooks')[0]).toMatchObject({ timeoutSeconds: 3 });
});

test('the same operator in two namespaces has bindings and webhooks of its own in each', async () => {
  const [first, second] = [
    await install({ webhooks: [webhook] }),
    await install({ namespace: 'b', webhooks: [webhook] }),
  ];
  await deploy(first);
  await deploy(second);
  expect(await configurations()).toHaveLength(2);
  expect((await cluster.kube.get(delegatorRef))['subjects']).toMatchObject([{ namespace: 'a' }]);
  const bindings = context.caches.clusterRoleBindings.labelled('olm.owner.namespace', 'b');
  expect(bindings).toMatchObject([{ subjects: [{ namespace: 'b' }], roleRef: { name: 'system:auth-delegator' } }]);
  await removeServing(context, first);
  expect(await isMissing(delegatorRef)).toBe(true);
  expect(await configurations()).toMatchObject([{ metadata: { labels: { 'olm.owner.namespace': 'b' } } }]);
  await eventually(() =>
    expect(context.caches.clusterRoleBindings.labelled('olm.owner.namespace', 'b')).toHaveLength(1),
  );
});

test('removal deletes what owner references do not, and nothing with the labels alone', async () => {
  const csv = await install({ apis: [api], webhooks: [webhook] });
  await deploy(csv);
  const [made] = await configurations();
  const labels = made?.metadata.labels ?? {};
  const foreign = { ...(made as KubeObject), metadata: { name: 'guard.example.com', labels } };
  await cluster.kube.create(foreign, user);
  await eventually(() => expect(context.caches.validatingWebhooks.get('guard.example.com')).toBeDefined());
  expect((await checkServing(context, csv)).webhooks).toEqual({ state: 'Healthy' });
  await removeServing(context, csv);
  expect((await configurations()).map(({ metadata }) => metadata.name)).toEqual(['guard.example.com']);
  for (const ref of [{ ...apiServiceKind, name: 'v1.boats.example.com' }, delegatorRef, readerRef]) {
    expect(await isMissing(ref)).toBe(true);
  }
  expect(await isMissing(secretRef)).toBe(false);
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

const boats = {
  ...definitionKind,
  metadata: { name: 'boats.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Boat', listKind: 'BoatList', plural: 'boats', singular: 'boat' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const conversion = {
  ...webhook,
  type: 'ConversionWebhook',
  generateName: 'c.boats.example.com',
  conversionCRDs: ['boats.example.com'],
  rules: [],
};
const singleton = {
  installModes: [{ type: 'AllNamespaces', supported: true }],
  customresourcedefinitions: { owned: [{ name: 'boats.example.com', version: 'v1', kind: 'Boat' }] },
};

async function define(annotations: Record<string, string> = {}, spec: JsonObject = {}): Promise<void> {
  const object = { ...boats, metadata: { ...boats.metadata, annotations }, spec: { ...boats.spec, ...spec } };
  await cluster.kube.create(object as unknown as KubeObject, user);
  await eventually(() => expect(context.caches.definitions.get('boats.example.com')).toBeDefined());
}

const conversionNow = async (): Promise<JsonObject | undefined> =>
  objectAt(
    (await cluster.kube.get({ ...definitionKind, name: 'boats.example.com' })) as JsonObject,
    'spec',
    'conversion',
  );

test('a conversion webhook converts the definitions that its operator owns, until it is removed', async () => {
  const placeholder = {
    clientConfig: { service: { namespace: 'system', name: 'webhook-service' } },
    conversionReviewVersions: ['v1'],
  };
  await define({}, { conversion: { strategy: 'Webhook', webhook: placeholder } });
  const csv = await install({ webhooks: [conversion], spec: singleton });
  expect((await checkServing(context, csv)).webhooks).toEqual({
    state: 'Failed',
    message: 'conversionWebhook not ready',
  });
  await deploy(csv);
  const service = { name: 'boat-service', namespace: 'a', port: 443, path: '/' };
  expect(await conversionNow()).toMatchObject({
    strategy: 'Webhook',
    webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] },
  });
  expect((await checkServing(context, csv)).webhooks).toEqual({ state: 'Healthy' });
  await cluster.kube.patch(
    { ...definitionKind, name: 'boats.example.com' },
    { spec: { conversion: { webhook: { clientConfig: { service: { path: '/other' } } } } } },
    user,
  );
  await eventually(async () => {
    expect((await checkServing(context, csv)).webhooks).toEqual({ state: 'Healthy' });
    expect(await conversionNow()).toMatchObject({ webhook: { clientConfig: { service } } });
  });
  await removeServing(context, csv);
  expect(await conversionNow()).toEqual({ strategy: 'None' });
});

test('of two webhooks that convert one definition the last one does, and the definition is not written again and again', async () => {
  await define();
  const other = { ...conversion, generateName: 'd.boats.example.com', webhookPath: '/last' };
  const csv = await install({ webhooks: [conversion, other], spec: singleton });
  await deploy(csv);
  const version = async (): Promise<string | undefined> =>
    (await cluster.kube.get({ ...definitionKind, name: 'boats.example.com' })).metadata.resourceVersion;
  const before = await version();
  expect((await checkServing(context, csv)).webhooks).toEqual({ state: 'Healthy' });
  expect(await version()).toBe(before);
  expect(await conversionNow()).toMatchObject({ webhook: { clientConfig: { service: { path: '/last' } } } });
});

test.each([
  {
    name: 'supports other install modes',
    spec: { ...singleton, installModes: [{ type: 'OwnNamespace', supported: true }] },
    message: 'unable to manage conversion webhook: CSVs with conversion webhooks must support only AllNamespaces',
  },
  {
    name: 'does not own the definition',
    spec: { ...singleton, customresourcedefinitions: {} },
    message: 'csv boat.v1 does not own CRD boats.example.com',
  },
  {
    name: 'names no definition',
    webhook: { ...conversion, conversionCRDs: [] },
    message: 'conversion webhook must have at least one CRD specified',
  },
  {
    name: 'claims a definition that was installed for another operator',
    annotations: { 'operatorframework.io/installed-alongside-1': 'b/ship.v1' },
    message: 'CRD boats.example.com was installed for other operators alone',
  },
  {
    name: 'claims one of the platform',
    webhook: { ...conversion, conversionCRDs: ['operatorgroups.operators.coreos.com'] },
    spec: {
      ...singleton,
      customresourcedefinitions: {
        owned: [{ name: 'operatorgroups.operators.coreos.com', version: 'v1', kind: 'OperatorGroup' }],
      },
    },
    message: 'CRD operatorgroups.operators.coreos.com belongs to the platform',
  },
])(
  'E-057 no conversion is changed for an operator that $name',
  async ({ spec = singleton, webhook: one = conversion, annotations = {}, message }) => {
    await define(annotations);
    const csv = await install({ webhooks: [one], spec });
    await expect(ensureServing(context, csv)).rejects.toThrow(message);
    expect(await conversionNow()).toEqual({ strategy: 'None' });
  },
);

test('a definition that another operator converts is left to it', async () => {
  await define();
  await deploy(await install({ webhooks: [conversion], spec: singleton }));
  await eventually(() =>
    expect(context.caches.definitions.get('boats.example.com')).toMatchObject({
      spec: { conversion: { strategy: 'Webhook' } },
    }),
  );
  const other = await install({ namespace: 'b', webhooks: [conversion], spec: singleton });
  await expect(ensureServing(context, other)).rejects.toThrow(
    'CRD boats.example.com is converted by Service a/boat-service of another operator',
  );
  await removeServing(context, other);
  expect(await conversionNow()).toMatchObject({ webhook: { clientConfig: { service: { namespace: 'a' } } } });
});

test('annotations of the Subscription are added to APIServices, and replace none', async () => {
  const csv = await install({ apis: [api] });
  await ensureServing({ ...context, annotations: { team: 'harbour' } }, csv);
  await eventually(() => ensureServing({ ...context, annotations: { team: 'dock', site: 'north' } }, csv));
  const { metadata } = await cluster.kube.get({ ...apiServiceKind, name: 'v1.boats.example.com' });
  expect(metadata.annotations).toEqual({ team: 'harbour', site: 'north' });
});

type Write = 'create' | 'update' | 'patch';

/** A client whose write number `at` fails, after or before the server has done it. */
function failingAt(
  kube: KubeClient,
  at: number,
  isDone: boolean,
): { readonly kube: KubeClient; readonly hasFailed: () => boolean } {
  let writes = 0;
  const wrap = (name: Write): unknown => {
    const send = kube[name].bind(kube) as (...given: readonly unknown[]) => Promise<KubeObject>;
    return async (...given: readonly unknown[]): Promise<KubeObject> => {
      writes += 1;
      if (writes !== at) return await send(...given);
      if (isDone) await send(...given);
      throw new TransientError('ConnectionLost', 'connection lost');
    };
  };
  const writing = Object.fromEntries((['create', 'update', 'patch'] as const).map((name) => [name, wrap(name)]));
  return { kube: { ...kube, ...writing } as KubeClient, hasFailed: () => writes >= at };
}

test.each([{ isDone: false }, { isDone: true }])(
  'an installation that loses its connection at any write is completed by the next one (done: $isDone)',
  async ({ isDone }) => {
    const plan = { apis: [api], webhooks: [webhook, { ...webhook, ...conversion }], spec: singleton };
    await define();
    const csv = await install(plan);
    let attempts = 0;
    for (let at = 1; at < 30; at++) {
      attempts = at;
      const { kube, hasFailed } = failingAt(context.kube, at, isDone);
      await ensureServing({ ...context, kube }, csv).catch(() => undefined);
      if (!hasFailed()) break;
      // Conflicts with what the caches do not show yet are tried again.
      await eventually(() => deploy(csv));
      await eventually(async () => expect(await servingProblem(context, csv)).toBeUndefined());
      await eventually(async () => {
        expect((await checkServing(context, csv)).webhooks).toEqual({ state: 'Healthy' });
        expect(await configurations()).toHaveLength(1);
      });
      await removeServing(context, csv);
      for (const ref of [serviceRef, secretRef]) await cluster.kube.delete(ref);
      await eventually(() => {
        expect(context.caches.secrets.get('boat-service-cert', 'a')).toBeUndefined();
        expect(context.caches.services.get('boat-service', 'a')).toBeUndefined();
        expect(context.caches.apiServices.get('v1.boats.example.com')).toBeUndefined();
        expect(context.caches.validatingWebhooks.labelled('olm.managed', 'true')).toEqual([]);
        expect(context.caches.clusterRoleBindings.labelled('olm.managed', 'true')).toEqual([]);
      });
    }
    expect(attempts).toBeGreaterThan(6);
    expect(attempts).toBeLessThan(30);
  },
);
