import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { acmeCsv, registryFiles } from '../../../../test/support/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { findCertificateProvider } from '../certificates.ts';
import { readRegistryBundle } from '../read.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import { type RenderOptions, renderBundle } from '../render.ts';
import { amendments, chosenAmendments } from './index.ts';

const manager = 'acme-widget-controller-manager';
const installNamespace = 'acme-system';
const rbac = 'rbac.authorization.k8s.io/v1';

/** All objects, with no amendment but the one that is named. */
function render(
  manifests: readonly JsonObject[],
  amendment: string | undefined,
  options: Partial<RenderOptions> = {},
): readonly RenderedObject[] {
  const bundle = readRegistryBundle(registryFiles(manifests));
  const without = amendments.map(({ name }) => name).filter((name) => name !== amendment);
  return renderBundle(bundle, { installNamespace, amendments: { without }, ...options });
}

function only(objects: readonly RenderedObject[], kind: string): RenderedObject | undefined {
  const found = objects.filter((object) => object.kind === kind);
  expect(found.length).toBeLessThanOrEqual(1);
  return found[0];
}

function at(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>((current, key) => {
    if (Array.isArray(current)) return current[Number(key)];
    return isJsonObject(current) ? current[key] : undefined;
  }, value);
}

const webhook = {
  type: 'ValidatingAdmissionWebhook',
  generateName: 'v.acme.example',
  deploymentName: manager,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const provider = (name: string): Partial<RenderOptions> =>
  ({ certificates: findCertificateProvider(name) }) as Partial<RenderOptions>;

test('each has a name of its own and a reason', () => {
  const names = amendments.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { reason } of amendments) expect(reason).toMatch(/^[A-Z][^\n]*\.$/);
});

test('docs/differences.md lists each with its reason, in their order', () => {
  const text = readFileSync(new URL('../../../../docs/differences.md', import.meta.url), 'utf8');
  const section = text.split('\n## Operators\n')[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| `([^`]+)` +\| (.*?) *\|$/gm)].map(([, name, reason]) => ({ name, reason }));
  expect(rows).toEqual(amendments.map(({ name, reason }) => ({ name, reason })));
});

test('one that there is not is refused, with the names of those that there are', () => {
  expect(() => chosenAmendments({ without: ['nonsense'] })).toThrow(
    /^there is no amendment "nonsense": expected some of api-versions, /,
  );
});

test('api-versions fills in what a kind implies', () => {
  const role = { kind: 'ClusterRole', metadata: { name: 'r' }, rules: [] };
  expect(
    render([acmeCsv(), role], undefined).find(({ metadata }) => metadata.name === 'r')?.apiVersion,
  ).toBeUndefined();
  const amended = render([acmeCsv(), role, { kind: 'Secret', metadata: { name: 's' } }], 'api-versions');
  expect(amended.find(({ metadata }) => metadata.name === 'r')?.apiVersion).toBe(rbac);
  expect(only(amended, 'Secret')?.apiVersion).toBe('v1');
});

test('crd-versions refuses a version that no cluster takes', () => {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1beta1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'x.acme.example' },
    spec: {},
  };
  expect(render([acmeCsv(), crd], undefined)).toHaveLength(7);
  expect(() => render([acmeCsv(), crd], 'crd-versions')).toThrow(
    "custom resource definition 'x.acme.example' has apiVersion apiextensions.k8s.io/v1beta1, expected apiextensions.k8s.io/v1",
  );
});

test('operator-namespace says where the operator is', () => {
  const annotations = at(
    only(render([acmeCsv()], 'operator-namespace'), 'Deployment'),
    'spec.template.metadata.annotations',
  );
  expect(annotations).toMatchObject({ 'olm.operatorNamespace': installNamespace });
});

test('shipped-accounts merges an account that is made and shipped', () => {
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'acme-widget-controller', labels: { a: 'b' } },
  };
  expect(render([acmeCsv(), account], undefined).filter(({ kind }) => kind === 'ServiceAccount')).toHaveLength(2);
  const merged = only(render([acmeCsv(), account], 'shipped-accounts'), 'ServiceAccount');
  expect(merged?.metadata).toEqual({ name: 'acme-widget-controller', namespace: installNamespace, labels: { a: 'b' } });
});

test('stale-ca-annotations takes away what names a Certificate that nobody makes', () => {
  const name = 'x.acme.example';
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, annotations: { 'cert-manager.io/inject-ca-from': 'a/b', other: 'c' } },
    spec: {},
  };
  const csv = acmeCsv({
    installModes: [{ type: 'AllNamespaces', supported: true }],
    customresourcedefinitions: { owned: [{ name, version: 'v1', kind: 'X' }] },
    webhookdefinitions: [{ ...webhook, type: 'ConversionWebhook', conversionCRDs: [name] }],
  });
  const annotationsWith = (certificates: string): JsonValue | undefined =>
    at(
      only(render([csv, crd], 'stale-ca-annotations', provider(certificates)), 'CustomResourceDefinition'),
      'metadata.annotations',
    );
  expect(annotationsWith('openshift-service-ca')).toEqual({
    other: 'c',
    'service.beta.openshift.io/inject-cabundle': 'true',
  });
  expect(annotationsWith('cert-manager')).toMatchObject({
    'cert-manager.io/inject-ca-from': `${installNamespace}/${manager}-service-cert`,
  });
});

test('subject-namespaces places accounts that a binding names without a namespace', () => {
  const binding = {
    apiVersion: rbac,
    kind: 'RoleBinding',
    metadata: { name: 'b' },
    roleRef: {},
    subjects: [
      { kind: 'ServiceAccount', name: 'mine' },
      { kind: 'ServiceAccount', name: 'other', namespace: 'elsewhere' },
      { kind: 'User', name: 'u' },
    ],
  };
  const amended = only(render([acmeCsv(), binding], 'subject-namespaces'), 'RoleBinding');
  expect(amended?.['subjects']).toEqual([
    { kind: 'ServiceAccount', name: 'mine', namespace: installNamespace },
    ...binding.subjects.slice(1),
  ]);
});

test('annotation-budget leaves examples out where they are too large, and refuses what is too large without them', () => {
  const large = 'x'.repeat(200_000);
  const csv = acmeCsv({}, { annotations: { 'alm-examples': large, note: 'y'.repeat(100_000) } });
  const annotations = (objects: readonly RenderedObject[]): JsonObject =>
    at(only(objects, 'Deployment'), 'spec.template.metadata.annotations') as JsonObject;
  expect(annotations(render([csv], undefined))).toHaveProperty('alm-examples');
  const amended = annotations(render([csv], 'annotation-budget'));
  expect(amended).not.toHaveProperty('alm-examples');
  expect(amended).toHaveProperty('note');
  const hopeless = acmeCsv({}, { annotations: { a: large, b: large } });
  expect(() => render([hopeless], 'annotation-budget')).toThrow(
    /^deployment 'acme-widget-controller-manager': the annotations .* have 400\d+ bytes without alm-examples, more than the 262144 bytes/,
  );
});

test('common-name leaves out one that is too long', () => {
  const csv = acmeCsv({ webhookdefinitions: [webhook] });
  const wide = { ...provider('cert-manager'), installNamespace: 'n'.repeat(40) };
  expect(at(only(render([csv], undefined, wide), 'Certificate'), 'spec.commonName')).toHaveLength(79);
  const spec = at(only(render([csv], 'common-name', wide), 'Certificate'), 'spec');
  expect(spec).not.toHaveProperty('commonName');
  expect(spec).toHaveProperty('dnsNames');
  expect(
    at(only(render([csv], 'common-name', provider('cert-manager')), 'Certificate'), 'spec.commonName'),
  ).toBeDefined();
});

test('init-container-mounts gives init containers the certificates instead of volumes that are gone', () => {
  const csv = acmeCsv({ webhookdefinitions: [webhook] });
  const podSpec = at(csv, 'spec.install.spec.deployments.0.spec.template.spec') as JsonObject;
  const place = '/tmp/k8s-webhook-server/serving-certs';
  const mounts = [
    { name: 'cert', mountPath: place },
    { name: 'data', mountPath: '/data' },
  ];
  podSpec['volumes'] = [
    { name: 'cert', secret: { secretName: 'mine' } },
    { name: 'data', emptyDir: {} },
  ];
  podSpec['initContainers'] = [{ name: 'init', volumeMounts: mounts }];
  ((podSpec['containers'] as JsonObject[])[0] ?? {})['volumeMounts'] = mounts;
  const mountsWith = (amendment: string | undefined): JsonValue | undefined =>
    at(
      only(render([csv], amendment, provider('cert-manager')), 'Deployment'),
      'spec.template.spec.initContainers.0.volumeMounts',
    );
  expect(mountsWith(undefined)).toEqual(mounts);
  expect(mountsWith('init-container-mounts')).toEqual([
    { name: 'data', mountPath: '/data' },
    { name: 'webhook-cert', mountPath: place },
    { name: 'apiservice-cert', mountPath: '/apiserver.local.config/certificates' },
  ]);
});

const api = {
  name: 'tides',
  group: 'tide.example',
  version: 'v1',
  kind: 'Tide',
  deploymentName: manager,
  containerPort: 5443,
};
const aggregated = (spec: JsonObject = {}): JsonObject => acmeCsv({ apiservicedefinitions: { owned: [api] }, ...spec });

test('api-services registers aggregated APIs, with a Service, a certificate and the rights that their server needs', () => {
  const objects = render([aggregated()], 'api-services', provider('cert-manager'));
  const service = `${manager}-service`;
  expect(only(objects, 'Service')?.['spec']).toEqual({
    ports: [{ name: '5443', port: 5443, targetPort: 5443 }],
    selector: { 'control-plane': 'manager' },
  });
  const registered = only(objects, 'APIService');
  expect(registered?.metadata).toEqual({
    name: 'v1.tide.example',
    annotations: { 'cert-manager.io/inject-ca-from': `${installNamespace}/${service}-cert` },
  });
  expect(registered?.['spec']).toMatchObject({ service: { namespace: installNamespace, name: service, port: 5443 } });
  expect(only(objects, 'Certificate')?.metadata.name).toBe(`${service}-cert`);
  expect(at(only(objects, 'Deployment'), 'spec.template.spec.volumes.1.name')).toBe('apiservice-cert');
  const roles = objects.filter(({ kind }) => kind.endsWith('Binding')).map((object) => at(object, 'roleRef.name'));
  expect(roles).toEqual(expect.arrayContaining(['system:auth-delegator', 'extension-apiserver-authentication-reader']));
});

test('api-services shares the Service with webhooks', () => {
  const objects = render([aggregated({ webhookdefinitions: [webhook] })], 'api-services', provider('cert-manager'));
  expect(at(only(objects, 'Service'), 'spec.ports')).toEqual([
    { name: '443', port: 443, targetPort: 443 },
    { name: '5443', port: 5443, targetPort: 5443 },
  ]);
  expect(only(objects, 'Certificate')).toBeDefined();
});
