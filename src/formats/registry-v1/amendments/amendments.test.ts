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

const betaCrd = (spec: JsonObject): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1beta1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'xs.acme.example' },
  spec: { group: 'acme.example', names: { plural: 'xs', kind: 'X' }, ...spec },
});

test('crd-versions converts definitions of v1beta1', () => {
  const size = { type: 'object', properties: { size: { type: 'integer', default: 1 } } };
  const spec = {
    versions: [
      { name: 'v1', served: true, storage: true },
      { name: 'v2', served: true, storage: false },
    ],
    preserveUnknownFields: false,
    validation: { openAPIV3Schema: { properties: { spec: size } } },
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'Size', type: 'integer', JSONPath: '.spec.size' }],
    conversion: { strategy: 'Webhook', webhookClientConfig: { service: { name: 'a', namespace: 'b' } } },
  };
  expect(render([acmeCsv(), betaCrd(spec)], undefined)).toHaveLength(7);
  const version = {
    served: true,
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: size } } },
  };
  const converted = only(render([acmeCsv(), betaCrd(spec)], 'crd-versions'), 'CustomResourceDefinition');
  expect(converted).toMatchObject({
    apiVersion: 'apiextensions.k8s.io/v1',
    spec: {
      scope: 'Namespaced',
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { service: { name: 'a', namespace: 'b' } }, conversionReviewVersions: ['v1beta1'] },
      },
      versions: [
        { name: 'v1', storage: true, ...version },
        { name: 'v2', storage: false, ...version },
      ],
    },
  });
  expect(at(converted, 'spec.validation') ?? at(converted, 'spec.preserveUnknownFields')).toBeUndefined();
});

test('crd-versions preserves unknown fields at every level where v1beta1 preserved them', () => {
  const inner = { type: 'object', properties: { size: { type: 'integer' } } };
  const map = { type: 'object', additionalProperties: inner };
  const port = { anyOf: [{ type: 'integer' }, { type: 'string' }] };
  const metadata = { type: 'object', properties: { name: { type: 'string', maxLength: 9 } } };
  const validation = { openAPIV3Schema: { type: 'object', properties: { metadata, spec: inner, map, any: {}, port } } };
  const preserve = { 'x-kubernetes-preserve-unknown-fields': true };
  const schemaOf = (spec: JsonObject): JsonValue | undefined =>
    at(only(render([acmeCsv(), betaCrd(spec)], 'crd-versions'), 'CustomResourceDefinition'), 'spec.versions.0.schema');
  expect(schemaOf({ version: 'v1', validation })).toEqual({
    openAPIV3Schema: {
      type: 'object',
      ...preserve,
      properties: {
        metadata,
        spec: { ...inner, ...preserve },
        map: { type: 'object', additionalProperties: { ...inner, ...preserve } },
        any: preserve,
        port: { ...port, 'x-kubernetes-int-or-string': true },
      },
    },
  });
  expect(schemaOf({ version: 'v1' })).toEqual({ openAPIV3Schema: { type: 'object', ...preserve } });
});

test('crd-versions sets the approval annotation of a protected group that v1beta1 did not require', () => {
  const annotationsOf = (group: string): unknown =>
    only(render([acmeCsv(), betaCrd({ version: 'v1', group })], 'crd-versions'), 'CustomResourceDefinition')?.metadata[
      'annotations'
    ];
  expect(annotationsOf('app.k8s.io')).toEqual({
    'api-approved.kubernetes.io': 'unapproved, defined with apiextensions.k8s.io/v1beta1',
  });
  expect(annotationsOf('acme.example')).toBeUndefined();
});

test('crd-versions lets the webhook of the operator convert', () => {
  const conversion = { ...webhook, type: 'ConversionWebhook', conversionCRDs: ['xs.acme.example'], containerPort: 443 };
  const csv = acmeCsv({
    installModes: [{ type: 'AllNamespaces', supported: true }],
    customresourcedefinitions: { owned: [{ name: 'xs.acme.example', version: 'v1', kind: 'X' }] },
    webhookdefinitions: [conversion],
  });
  const crd = only(render([csv, betaCrd({ version: 'v1' })], 'crd-versions'), 'CustomResourceDefinition');
  expect(at(crd, 'spec.conversion')).toMatchObject({
    strategy: 'Webhook',
    webhook: { clientConfig: { service: { name: `${manager}-service` } }, conversionReviewVersions: ['v1'] },
  });
});

test('crd-versions refuses a version that never was', () => {
  const crd = { ...betaCrd({}), apiVersion: 'apiextensions.k8s.io/v2' };
  expect(() => render([acmeCsv(), crd], 'crd-versions')).toThrow(
    "custom resource definition 'xs.acme.example' has apiVersion apiextensions.k8s.io/v2, expected apiextensions.k8s.io/v1",
  );
});

test('shipped-services merges a Service that is generated for webhooks and shipped', () => {
  const shipped = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `${manager}-service`, labels: { team: 'a' }, annotations: { a: 'b' } },
    spec: {
      selector: { app: 'wrong' },
      sessionAffinity: 'ClientIP',
      ports: [
        { name: 'https', port: 443, targetPort: 1 },
        { port: 8443, targetPort: 8443 },
      ],
    },
  };
  const csv = acmeCsv({ webhookdefinitions: [{ ...webhook, targetPort: 9443 }] });
  const services = (amendment: string | undefined): readonly RenderedObject[] =>
    render([csv, shipped], amendment, provider('cert-manager')).filter(({ kind }) => kind === 'Service');
  const [, generated] = services(undefined);
  expect(services('shipped-services')).toEqual([
    {
      ...generated,
      metadata: { ...generated?.metadata, labels: { team: 'a' }, annotations: { a: 'b' } },
      spec: {
        selector: at(generated, 'spec.selector'),
        sessionAffinity: 'ClientIP',
        ports: [
          { name: 'https', port: 443, targetPort: 9443 },
          { name: '8443', port: 8443, targetPort: 8443 },
        ],
      },
    },
  ]);
});

test('a shipped Service takes the place of none that an aggregated API needs', () => {
  const owned = [{ name: 'a', group: 'a.example', version: 'v1', kind: 'A', deploymentName: manager }];
  const shipped = { apiVersion: 'v1', kind: 'Service', metadata: { name: `${manager}-service` }, spec: { ports: [] } };
  const csv = acmeCsv({ apiservicedefinitions: { owned } });
  const options = { ...provider('cert-manager'), amendments: 'all' } as const;
  const objects = render([csv, shipped], undefined, options);
  expect(at(only(objects, 'Service'), 'spec.ports.0.port')).toBe(443);
  expect(only(objects, 'Certificate')).toBeDefined();
});

test('last-of-identity chooses the last of two shipped objects', () => {
  const config = (namespace: string, value: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace },
    data: { value },
  });
  const values = (amendment: string | undefined): unknown[] =>
    render([acmeCsv(), config('x', '1'), config('y', '2')], amendment)
      .filter(({ kind }) => kind === 'ConfigMap')
      .map((object) => at(object, 'data.value'));
  expect(values(undefined)).toEqual(['1', '2']);
  expect(values('last-of-identity')).toEqual(['2']);
});

test('cluster-scope knows from the definitions of the bundle what belongs to the cluster', () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'secrets.acme.example' },
    spec: { group: 'acme.example', scope: 'Cluster', names: { plural: 'secrets', kind: 'Secret' }, versions: [] },
  };
  const secret = { apiVersion: 'acme.example/v1', kind: 'Secret', metadata: { name: 's' } };
  const namespaceWith = (amendment: string | undefined): unknown =>
    only(render([acmeCsv(), definition, secret], amendment), 'Secret')?.metadata.namespace;
  expect([namespaceWith(undefined), namespaceWith('cluster-scope')]).toEqual([installNamespace, undefined]);
});

test('operator-namespace sets the namespace of the operator', () => {
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

test('stale-ca-annotations removes annotations that name a Certificate that does not exist', () => {
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

test('init-container-mounts mounts the certificates in init containers instead of removed volumes', () => {
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

test('api-services registers aggregated APIs, with a Service, a certificate and the permissions that their server needs', () => {
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
