/** @module-tag long */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Registry, startRegistry } from '../../cli/examples/registry.ts';
import { type JsonObject, objectAt } from '../../src/base/index.ts';
import { bundle } from '../cluster-extensions/objects.ts';
import { eventually } from '../support/index.ts';
import { longshoreOn, type Printed } from './program.ts';
import { conditionOf, startWorld, statusOf, type World } from './world.ts';

const label = 'operators.operatorframework.io.index.configs.v1';
const user = { fieldManager: 'test' };
const patience = { timeoutMs: 120_000 };
const olm = 'operators.coreos.com/v1alpha1';
const admission = 'admissionregistration.k8s.io/v1';
const rbac = 'rbac.authorization.k8s.io/v1';
const namespace = 'harbour';
const deployment = 'acme-widget-controller-manager';
const csv = { apiVersion: olm, kind: 'ClusterServiceVersion', namespace, name: 'tide.v1.0.0' };
const catalogKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' };
const webhook = {
  type: 'ValidatingAdmissionWebhook',
  admissionReviewVersions: ['v1'],
  deploymentName: deployment,
  generateName: 'v.acme.example',
  sideEffects: 'None',
  failurePolicy: 'Fail',
  rules: [{ apiGroups: ['acme.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] }],
};

let world: World;
let registry: Registry;

const longshore = (...args: readonly string[]): Promise<Printed> =>
  longshoreOn(world.platform.kubeconfigPath)(args, { timeoutMs: 180_000 });

async function succeeds(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await longshore(...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** Puts an operator with a webhook, and a catalog of it, into the registry. */
async function publish(): Promise<string> {
  const files = bundle('1.0.0', { csv: { webhookdefinitions: [webhook] } });
  const { annotations } = JSON.parse(String(files['metadata/annotations.yaml'])) as {
    annotations: Record<string, string>;
  };
  registry.putImage('tide:v1.0.0', [{ files }], annotations);
  const rendered = await succeeds('catalog', 'render', `${registry.host}/tide:v1.0.0`, '-o', 'json');
  const head = [
    { schema: 'olm.package', name: 'tide', defaultChannel: 'stable' },
    { schema: 'olm.channel', package: 'tide', name: 'stable', entries: [{ name: 'tide.v1.0.0' }] },
  ];
  const content = [...head.map((document) => JSON.stringify(document)), rendered].join('\n');
  registry.putImage('catalog:v1', [{ files: { 'configs/catalog.json': content } }], { [label]: '/configs' });
  return `${registry.host}/catalog:v1`;
}

beforeAll(async () => {
  world = await startWorld(['--olm']);
  registry = await startRegistry({});
  const image = await publish();
  const spec = { source: { type: 'Image', image: { ref: image } } };
  await world.kube.create({ ...catalogKind, metadata: { name: 'shop' }, spec }, user);
  await world.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, user);
  await succeeds('operator', 'catalog', 'add', 'shop', image, '-n', namespace);
  await eventually(async () => {
    const source = await world.kube.get({ apiVersion: olm, kind: 'CatalogSource', name: 'shop', namespace });
    expect(statusOf(source)).toMatchObject({ connectionState: { lastObservedState: 'READY' } });
    expect(conditionOf(await world.kube.get({ ...catalogKind, name: 'shop' }), 'Serving')?.status).toBe('True');
  }, patience);
  await succeeds('operator', 'install', 'tide', '-n', namespace, '--catalog', 'shop', '--yes');
}, 180_000);
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

/** The webhook configurations of the operator, with the authority that each trusts. */
async function configurations(): Promise<readonly (readonly [string, unknown])[]> {
  const { items } = await world.kube.list({ apiVersion: admission, kind: 'ValidatingWebhookConfiguration' });
  return items
    .filter(({ metadata }) => metadata.name?.startsWith('v.acme.example') === true)
    .map((object) => {
      const [first] = object['webhooks'] as unknown as readonly JsonObject[];
      return [object.metadata.name ?? '', objectAt(first, 'clientConfig')?.['caBundle']];
    });
}

async function rolesOfOlm(): Promise<readonly string[]> {
  const all = await Promise.all(
    ['Role', 'RoleBinding'].map((kind) => world.kube.list({ apiVersion: rbac, kind, namespace })),
  );
  return all
    .flatMap(({ items }) => items)
    .filter(({ metadata }) => metadata.labels?.['olm.managed'] === 'true')
    .map(({ metadata }) => metadata.name ?? '');
}

describe('an operator with a webhook that a Subscription has installed', { shuffle: false }, () => {
  test('becomes a ClusterExtension: it is served with the certificate of that, and no role of OLM is left', async () => {
    expect(await rolesOfOlm()).toContain(`${deployment}-service-cert`);
    const migrate = ['operator', 'migrate', 'tide', '-n', namespace, '--to', 'ClusterExtension'];
    expect(await succeeds(...migrate, '--dry-run')).toContain(
      'Its certificate is replaced: until its Pods have restarted, the API server may refuse requests',
    );
    await succeeds(...migrate, '--yes');
    const secret = await world.kube.get({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace,
      name: `${deployment}-service-cert`,
    });
    const { 'ca.crt': authority } = secret['data'] as unknown as Record<string, string>;
    await eventually(async () => expect(await configurations()).toEqual([['v.acme.example', authority]]), patience);
    expect(await rolesOfOlm()).toEqual([]);
  });

  test('is not handed back while it serves, and the refusal names the way', async () => {
    const refused = await longshore('operator', 'migrate', 'tide', '--to', 'Subscription', '--yes');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('its operator serves webhooks');
    expect(refused.stderr).toContain('longshore delete clusterextension/tide');
    expect(refused.stderr).toContain('nothing was changed');
    expect(await configurations()).toHaveLength(1);
  });

  test('is a Subscription again that way', async () => {
    await succeeds('delete', 'clusterextension/tide');
    expect(await configurations()).toEqual([]);
    await succeeds('operator', 'install', 'tide', '-n', namespace, '--catalog', 'shop', '--yes');
    await eventually(async () => {
      expect(statusOf(await world.kube.get(csv))).toMatchObject({ phase: 'Succeeded' });
      expect(await configurations()).toHaveLength(1);
    }, patience);
  });
});
