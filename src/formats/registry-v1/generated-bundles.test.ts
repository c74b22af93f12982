import fc from 'fast-check';
import { expect, test } from 'vitest';
import { registryFiles } from '../../../test/support/index.ts';
import { isJsonObject, type JsonObject, type JsonValue, TerminalError } from '../../base/index.ts';
import { certificateProviderNames, findCertificateProvider } from './certificates.ts';
import { readRegistryBundle } from './read.ts';
import type { RegistryBundle, RenderedObject } from './registry-bundle.ts';
import { type RenderOptions, renderBundle } from './render.ts';

const name = fc.stringMatching(/^[a-z]([-a-z0-9]{0,20}[a-z0-9])?$/);
const account = fc.constantFrom('', 'default', 'manager', 'reader');
const rule = fc.record({
  apiGroups: fc.array(fc.constantFrom('', 'apps', '*', 'a.example'), { maxLength: 2 }),
  resources: fc.array(fc.constantFrom('pods', 'deployments/status', '*'), { maxLength: 2 }),
  verbs: fc.array(fc.constantFrom('get', 'list', '*'), { maxLength: 3 }),
});
const permission = fc.record({ serviceAccountName: account, rules: fc.array(rule, { maxLength: 3 }) });
const labels = fc.dictionary(fc.constantFrom('app', 'tier'), name, { minKeys: 1 });

const deployment = fc
  .record({ name, labels, account, replicas: fc.nat(5), mount: fc.boolean() })
  .map((shape): JsonObject => {
    const place = '/tmp/k8s-webhook-server/serving-certs';
    const mounts = shape.mount ? { volumeMounts: [{ name: 'cert', mountPath: place }] } : {};
    const volumes = shape.mount ? { volumes: [{ name: 'cert', secret: { secretName: 'mine' } }] } : {};
    const podSpec = {
      serviceAccountName: shape.account,
      initContainers: [{ name: 'init', ...mounts }],
      containers: [{ name: 'main', image: 'a', ...mounts }],
      ...volumes,
    };
    return {
      name: shape.name,
      label: shape.labels,
      spec: {
        replicas: shape.replicas,
        selector: { matchLabels: shape.labels },
        template: { metadata: { labels: shape.labels }, spec: podSpec },
      },
    };
  });

const webhook = fc.record({
  type: fc.constantFrom('ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook'),
  generateName: name,
  deployment: fc.nat(3),
  containerPort: fc.constantFrom(undefined, 443, 8443),
});

const csv = fc
  .record({
    csvName: name,
    modes: fc.subarray(['AllNamespaces', 'OwnNamespace', 'SingleNamespace', 'MultiNamespace']),
    permissions: fc.array(permission, { maxLength: 3 }),
    clusterPermissions: fc.array(permission, { maxLength: 3 }),
    deployments: fc.uniqueArray(deployment, { maxLength: 3, selector: (one) => one['name'] }),
    webhooks: fc.uniqueArray(webhook, { maxLength: 3, selector: (one) => `${one.type} ${one.generateName}` }),
  })
  .map((shape): JsonObject => {
    const names = shape.deployments.map((one) => one['name']);
    const webhookdefinitions = shape.webhooks
      .filter(() => names.length > 0)
      .map(({ deployment: index, containerPort, ...rest }) => ({
        ...rest,
        deploymentName: names[index % names.length],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...(containerPort === undefined ? {} : { containerPort }),
      }));
    const { permissions, clusterPermissions, deployments } = shape;
    return {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      metadata: { name: shape.csvName, annotations: { 'olm.targetNamespaces': 'evil' } },
      spec: {
        installModes: shape.modes.map((type) => ({ type, supported: true })),
        install: { strategy: 'deployment', spec: { permissions, clusterPermissions, deployments } },
        webhookdefinitions,
      },
    } as JsonObject;
  });

const options = fc.record({
  installNamespace: fc.constant('install'),
  targetNamespaces: fc.constantFrom([], [''], ['install'], ['shop'], ['shop', 'bank'], ['install', 'shop']),
  provider: fc.constantFrom(undefined, ...certificateProviderNames),
});

/** What is rendered; undefined when it is refused in words. */
function rendered(bundle: RegistryBundle, chosen: RenderOptions): readonly RenderedObject[] | undefined {
  try {
    return renderBundle(bundle, chosen);
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.message !== '') return undefined;
    throw thrown;
  }
}

function at(value: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>(
    (current, key) => (isJsonObject(current) ? current[key] : undefined),
    value,
  );
}

function identity({ apiVersion, kind, metadata }: RenderedObject): string {
  return `${apiVersion} ${kind} ${metadata.namespace ?? ''} ${metadata.name ?? ''}`;
}

const clusterKinds = /^(ClusterRole|ClusterRoleBinding|CustomResourceDefinition|.*WebhookConfiguration)$/;

function namesIn(list: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  return Array.isArray(list) ? list.map((item) => at(item, 'name')) : [];
}

function mountsOf(podSpec: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  const containers = [at(podSpec, 'containers'), at(podSpec, 'initContainers')].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  return containers.flatMap((container) => namesIn(at(container, 'volumeMounts')));
}

function textAt(value: JsonValue | undefined, ...keys: readonly string[]): string {
  const found = at(value, ...keys);
  return typeof found === 'string' ? found : '';
}

function assertPlaced(object: RenderedObject, namespaces: ReadonlySet<string>): void {
  expect(object.metadata.name).toMatch(/^.{1,253}$/);
  if (clusterKinds.test(object.kind)) expect(object.metadata.namespace).toBeUndefined();
  else expect(namespaces).toContain(object.metadata.namespace);
}

function assertRunnable(deployment: RenderedObject, accounts: ReadonlySet<string | undefined>): void {
  const template = at(deployment, 'spec', 'template');
  expect(at(deployment, 'spec', 'selector', 'matchLabels')).toEqual(at(template, 'metadata', 'labels'));
  expect(at(template, 'metadata', 'annotations', 'olm.targetNamespaces')).not.toBe('evil');
  expect(new Set([...accounts, 'default', ''])).toContain(textAt(template, 'spec', 'serviceAccountName'));
  const volumes = namesIn(at(template, 'spec', 'volumes'));
  for (const mount of mountsOf(at(template, 'spec'))) expect(volumes).toContain(mount);
}

function assertGood(objects: readonly RenderedObject[], chosen: RenderOptions): void {
  const identities = objects.map(identity);
  expect(new Set(identities).size).toBe(identities.length);
  const namespaces = new Set(['install', ...(chosen.targetNamespaces ?? [])]);
  for (const object of objects) assertPlaced(object, namespaces);
  const accounts = new Set(
    objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name),
  );
  for (const object of objects) if (object.kind === 'Deployment') assertRunnable(object, accounts);
  for (const { kind, roleRef, metadata } of objects.filter((object) => object.kind.endsWith('Binding'))) {
    const namespace = kind === 'RoleBinding' ? (metadata.namespace ?? '') : '';
    const role = `rbac.authorization.k8s.io/v1 ${textAt(roleRef, 'kind')} ${namespace} ${textAt(roleRef, 'name')}`;
    expect(identities).toContain(role);
  }
}

test('whatever an operator asks for, it is refused in words or rendered so that every part has what it names', () => {
  let renderings = 0;
  fc.assert(
    fc.property(csv, options, (manifest, { installNamespace, targetNamespaces, provider }) => {
      const bundle = readRegistryBundle(registryFiles([manifest]));
      const before = JSON.stringify(bundle);
      const certificates = provider === undefined ? undefined : findCertificateProvider(provider);
      const chosen = { installNamespace, targetNamespaces, ...(certificates === undefined ? {} : { certificates }) };
      const objects = rendered(bundle, chosen);
      const base = rendered(bundle, { ...chosen, amendments: 'none' });
      expect(JSON.stringify(bundle)).toBe(before);
      expect(objects === undefined).toBe(base === undefined);
      if (objects === undefined) return;
      renderings++;
      expect(rendered(bundle, chosen)).toEqual(objects);
      assertGood(objects, chosen);
    }),
    { numRuns: 500 },
  );
  expect(renderings).toBeGreaterThan(50);
});
