import { expect, test } from 'vitest';
import { eventually } from '../../../../test/support/index.ts';
import {
  admission,
  api,
  apiServiceKind,
  cluster,
  configurations,
  context,
  definitionKind,
  delegatorRef,
  deploy,
  install,
  isMissing,
  openServingCluster,
  readerRef,
  secretRef,
  serviceRef,
  user,
  webhook,
} from '../../../../test/support/serving-cluster.ts';
import type { ClusterServiceVersion } from '../../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, TransientError } from '../../../base/index.ts';
import type { KubeClient, KubeObject } from '../../../kube/index.ts';
import { checkServing, ensureServing, removeServing, servingProblem } from './index.ts';

openServingCluster();

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
