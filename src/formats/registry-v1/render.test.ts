import { expect, test } from 'vitest';
import { acmeCsv, installModes, registryFiles } from '../../../test/support/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { findCertificateProvider } from './certificates.ts';
import { readRegistryBundle } from './read.ts';
import type { RenderedObject } from './registry-bundle.ts';
import { type RenderOptions, renderBundle } from './render.ts';

const acme = 'acme-system';
const controller = 'acme-widget-controller';
const manager = 'acme-widget-controller-manager';
const widgetsRole = 'acme-widget.v1.2.3-15pksim2k3y3732y0s23emhozxn73b2n51ki7nmc15vk';
const promotedRole = 'acme-widget.v1.2.3-22tvss2f3ju4sb7ol568zr7krq1fdvaysk0q5nur3np7';
const ownRole = 'acme-widget.v1.2.3--rj091t6ksegz1cg4t9admrrv856xlei3r7c1hxoyqhz';

function render(
  manifests: readonly (JsonObject | string)[],
  options: Partial<RenderOptions> = {},
): readonly RenderedObject[] {
  const bundle = readRegistryBundle(registryFiles(manifests));
  return renderBundle(bundle, { installNamespace: acme, amendments: 'none', ...options });
}

function names(objects: readonly RenderedObject[]): readonly string[] {
  return objects.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name].filter(Boolean).join(' '));
}

/** The value at a path such as `spec.template.metadata`; numbers are indexes. */
function at(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>((current, key) => {
    if (Array.isArray(current)) return current[Number(key)];
    return isJsonObject(current) ? current[key] : undefined;
  }, value);
}

function ofKind(objects: readonly RenderedObject[], kind: string): RenderedObject {
  const found = objects.find((object) => object.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} among ${names(objects).join(', ')}`);
  return found;
}

const templateAnnotations = (objects: readonly RenderedObject[]): JsonObject =>
  at(ofKind(objects, 'Deployment'), 'spec.template.metadata.annotations') as JsonObject;

function withDeployment(change: (deployment: JsonObject) => JsonObject, spec: JsonObject = {}): JsonObject {
  const csv = acmeCsv(spec);
  const install = at(csv, 'spec.install.spec') as JsonObject;
  const [deployment] = install['deployments'] as JsonObject[];
  install['deployments'] = [change(structuredClone(deployment ?? {}))];
  return csv;
}

function withPodSpec(change: (podSpec: JsonObject) => void, spec: JsonObject = {}): JsonObject {
  return withDeployment((deployment) => {
    change(at(deployment, 'spec.template.spec') as JsonObject);
    return deployment;
  }, spec);
}

test('RV-R1 all namespaces: permissions become cluster roles, with a rule for namespaces', () => {
  const objects = render([acmeCsv()]);
  expect(names(objects)).toEqual([
    `ServiceAccount ${acme} ${controller}`,
    `ClusterRole ${widgetsRole}`,
    `ClusterRoleBinding ${widgetsRole}`,
    `ClusterRole ${promotedRole}`,
    `ClusterRoleBinding ${promotedRole}`,
    `Deployment ${acme} ${manager}`,
  ]);
  const binding = ofKind(objects, 'ClusterRoleBinding');
  expect(binding['subjects']).toEqual([{ kind: 'ServiceAccount', name: controller, namespace: acme }]);
  expect(binding['roleRef']).toEqual({ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: widgetsRole });
  const deployment = ofKind(objects, 'Deployment');
  expect(deployment.metadata).toEqual({
    name: manager,
    namespace: acme,
    labels: { 'app.kubernetes.io/name': 'acme-widget' },
  });
  expect(at(deployment, 'spec.revisionHistoryLimit')).toBe(1);
  expect(templateAnnotations(objects)).toEqual({
    capabilities: 'Basic Install',
    'example.acme/tier': 'template',
    'olm.targetNamespaces': '',
  });
});

test('RV-R1 one namespace, its own: roles in it, no rule added', () => {
  const objects = render([acmeCsv()], { targetNamespaces: [acme] });
  expect(names(objects)).toEqual([
    `ServiceAccount ${acme} ${controller}`,
    `Role ${acme} ${ownRole}`,
    `RoleBinding ${acme} ${ownRole}`,
    `ClusterRole ${widgetsRole}`,
    `ClusterRoleBinding ${widgetsRole}`,
    `Deployment ${acme} ${manager}`,
  ]);
  expect(templateAnnotations(objects)['olm.targetNamespaces']).toBe(acme);
});

test('RV-R1 another namespace: roles in it, and in its own by an amendment', () => {
  const options = { targetNamespaces: ['shop'] };
  const roles = (objects: readonly RenderedObject[]): readonly string[] =>
    names(objects.filter(({ kind }) => kind === 'Role' || kind === 'RoleBinding'));
  const shop = [`Role shop ${ownRole}`, `RoleBinding shop ${ownRole}`];
  expect(roles(render([acmeCsv()], options))).toEqual(shop);
  const own = [`Role ${acme} ${ownRole}`, `RoleBinding ${acme} ${ownRole}`];
  expect(roles(render([acmeCsv()], { ...options, amendments: 'all' }))).toEqual([...shop, ...own]);
  const without = { without: ['own-namespace-roles'] };
  expect(roles(render([acmeCsv()], { ...options, amendments: without }))).toEqual(shop);
});

test('RV-R1 several namespaces, in the order given, each once', () => {
  const objects = render([acmeCsv()], { targetNamespaces: ['shop', 'bank', 'shop'] });
  expect(names(objects).slice(1, 5)).toEqual([
    `Role shop ${ownRole}`,
    `RoleBinding shop ${ownRole}`,
    `Role bank ${ownRole}`,
    `RoleBinding bank ${ownRole}`,
  ]);
  expect(templateAnnotations(objects)['olm.targetNamespaces']).toBe('shop,bank');
});

function withPermissions(permissions: JsonObject[], clusterPermissions: JsonObject[] = []): JsonObject {
  const csv = acmeCsv();
  Object.assign(at(csv, 'spec.install.spec') as JsonObject, { permissions, clusterPermissions });
  return csv;
}

const podsRule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

test('RV-R2 a permission without an account is for default, which is not made', () => {
  const objects = render([withPermissions([], [{ rules: [podsRule] }])]);
  expect(objects.some(({ kind }) => kind === 'ServiceAccount')).toBe(false);
  expect(at(ofKind(objects, 'ClusterRoleBinding'), 'subjects.0.name')).toBe('default');
});

test('RV-R3 two permissions of one account make one account', () => {
  const rules = [podsRule];
  const permissions = [
    { serviceAccountName: 'b', rules },
    { serviceAccountName: 'a', rules },
    { serviceAccountName: 'b', rules: [] },
  ];
  const accounts = names(render([withPermissions(permissions)])).filter((name) => name.startsWith('ServiceAccount'));
  expect(accounts).toEqual([`ServiceAccount ${acme} a`, `ServiceAccount ${acme} b`]);
});

test('RV-R4 an account that only a Deployment names is made', () => {
  const csv = withPermissions([]);
  expect(names(render([csv]))).not.toContain(`ServiceAccount ${acme} ${controller}`);
  expect(names(render([csv], { amendments: 'all' }))[0]).toBe(`ServiceAccount ${acme} ${controller}`);
});

test('RV-R5 an identical permission makes one role', () => {
  const twice = { serviceAccountName: controller, rules: [podsRule] };
  const csv = withPermissions([twice, twice]);
  const roles = (options: Partial<RenderOptions>): number =>
    render([csv], { targetNamespaces: [acme], ...options }).filter(({ kind }) => kind === 'Role').length;
  expect(roles({})).toBe(2);
  expect(roles({ amendments: 'all' })).toBe(1);
});

test('RV-D1, RV-D2 annotations: the template wins over the ClusterServiceVersion, and what is forced over both', () => {
  const csv = acmeCsv({}, { annotations: { 'example.acme/tier': 'csv', 'olm.targetNamespaces': 'hostile' } });
  expect(templateAnnotations(render([csv]))).toEqual({ 'example.acme/tier': 'template', 'olm.targetNamespaces': '' });
});

test('RV-D3, RV-D4 the history is one revision, and there are no labels where there are none', () => {
  const csv = withDeployment(({ label: _label, spec, ...rest }) => ({
    ...rest,
    spec: { ...(spec as JsonObject), revisionHistoryLimit: 10 },
  }));
  const deployment = ofKind(render([csv]), 'Deployment');
  expect(at(deployment, 'spec.revisionHistoryLimit')).toBe(1);
  expect(deployment.metadata).toEqual({ name: manager, namespace: acme });
});

function webhook(members: JsonObject): JsonObject {
  return {
    type: 'ValidatingAdmissionWebhook',
    generateName: 'vwidget.acme.example',
    deploymentName: manager,
    containerPort: 443,
    targetPort: 9443,
    webhookPath: '/validate-widget',
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    rules: [
      { apiGroups: ['widgets.acme.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] },
    ],
    ...members,
  };
}

const mutating = webhook({
  type: 'MutatingAdmissionWebhook',
  generateName: 'mwidget.acme.example',
  webhookPath: '/mutate-widget',
  reinvocationPolicy: 'Never',
});
const certificates = findCertificateProvider('cert-manager') as NonNullable<RenderOptions['certificates']>;
const service = `${manager}-service`;

test('RV-W1 webhooks with cert-manager', () => {
  const csv = acmeCsv({ webhookdefinitions: [webhook({}), mutating] });
  const objects = render([csv], { targetNamespaces: ['shop'], certificates });
  expect(names(objects).slice(5)).toEqual([
    `Deployment ${acme} ${manager}`,
    `ValidatingWebhookConfiguration ${acme} vwidget.acme.example`,
    `MutatingWebhookConfiguration ${acme} mwidget.acme.example`,
    `Service ${acme} ${service}`,
    `Issuer ${acme} ${service}-cert-selfsigned-issuer`,
    `Certificate ${acme} ${service}-cert`,
  ]);
  const validating = ofKind(objects, 'ValidatingWebhookConfiguration');
  expect(validating.metadata['annotations']).toEqual({ 'cert-manager.io/inject-ca-from': `${acme}/${service}-cert` });
  expect(at(validating, 'webhooks.0.clientConfig.service')).toEqual({
    namespace: acme,
    name: service,
    path: '/validate-widget',
    port: 443,
  });
  expect(at(validating, 'webhooks.0.namespaceSelector.matchExpressions')).toEqual([
    { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['shop'] },
  ]);
  const mutatingObject = ofKind(objects, 'MutatingWebhookConfiguration');
  expect(mutatingObject.metadata['annotations']).toEqual(validating.metadata['annotations']);
  expect(at(mutatingObject, 'webhooks.0')).toEqual({
    name: 'mwidget.acme.example',
    clientConfig: { service: { namespace: acme, name: service, path: '/mutate-widget', port: 443 } },
    rules: mutating['rules'] ?? null,
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    reinvocationPolicy: 'Never',
    namespaceSelector: at(validating, 'webhooks.0.namespaceSelector'),
  });
  expect(ofKind(objects, 'Service')['spec']).toEqual({
    ports: [{ name: '443', port: 443, targetPort: 9443 }],
    selector: { 'control-plane': 'manager' },
  });
  expect(ofKind(objects, 'Issuer')['spec']).toEqual({ selfSigned: {} });
  expect(ofKind(objects, 'Certificate')['spec']).toEqual({
    secretName: `${service}-cert`,
    commonName: `${service}.${acme}`,
    usages: ['server auth'],
    dnsNames: ['', '.svc', '.svc.cluster.local'].map((end) => `${service}.${acme}${end}`),
    issuerRef: { name: `${service}-cert-selfsigned-issuer` },
    duration: '17520h0m0s',
    renewBefore: '24h0m0s',
  });
  const podSpec = at(ofKind(objects, 'Deployment'), 'spec.template.spec') as JsonObject;
  expect(at(podSpec, 'volumes.0.secret.secretName')).toBe(`${service}-cert`);
  expect(at(podSpec, 'containers.0.volumeMounts')).toEqual([
    { name: 'webhook-cert', mountPath: '/tmp/k8s-webhook-server/serving-certs' },
    { name: 'apiservice-cert', mountPath: '/apiserver.local.config/certificates' },
  ]);
});

test('webhook configurations are without a namespace by an amendment', () => {
  const csv = acmeCsv({ webhookdefinitions: [webhook({})] });
  const amended = ofKind(render([csv], { certificates, amendments: 'all' }), 'ValidatingWebhookConfiguration');
  expect(amended.metadata.namespace).toBeUndefined();
});

test('RV-W2 a webhook without containerPort has port 443 everywhere', () => {
  const portless = ({ containerPort: _port, targetPort: _target, ...rest }: JsonObject): JsonObject => rest;
  const [validating, other] = [webhook({}), mutating].map(portless);
  const csv = acmeCsv({ webhookdefinitions: [validating ?? {}, other ?? {}] });
  const objects = render([csv], { certificates, amendments: 'all' });
  for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
    expect(at(ofKind(objects, kind), 'webhooks.0.clientConfig.service.port')).toBe(443);
  }
  const converted = tideCsv({ webhookdefinitions: [portless(conversion)] });
  const [crd] = render([converted, gaugeCrd()], { certificates, amendments: 'all' }).filter(
    ({ kind }) => kind === 'CustomResourceDefinition',
  );
  expect(at(crd, 'spec.conversion.webhook.clientConfig.service.port')).toBe(443);
  expect(at(ofKind(objects, 'Service'), 'spec.ports')).toEqual([{ name: '443', port: 443, targetPort: 443 }]);
});

test('RV-W4 an operator that watches everything is asked about every namespace', () => {
  const objects = render([acmeCsv({ webhookdefinitions: [webhook({})] })], { certificates });
  expect(at(ofKind(objects, 'ValidatingWebhookConfiguration'), 'webhooks.0')).not.toHaveProperty('namespaceSelector');
});

test('RV-W6 what was mounted where certificates go gives way to them', () => {
  const csv = withPodSpec(
    (podSpec) => {
      podSpec['volumes'] = [
        { name: 'cert', secret: { secretName: 'mine' } },
        { name: 'data', emptyDir: {} },
      ];
      const [container] = podSpec['containers'] as JsonObject[];
      if (container === undefined) return;
      container['volumeMounts'] = [
        { name: 'cert', mountPath: '/tmp/k8s-webhook-server/serving-certs', readOnly: true },
        { name: 'data', mountPath: '/data' },
      ];
    },
    { webhookdefinitions: [webhook({})] },
  );
  const podSpec = at(ofKind(render([csv], { certificates }), 'Deployment'), 'spec.template.spec') as JsonObject;
  const nameOf = (entry: JsonValue): JsonValue | undefined => at(entry, 'name');
  expect((podSpec['volumes'] as JsonValue[]).map(nameOf)).toEqual(['data', 'webhook-cert', 'apiservice-cert']);
  const mounts = at(podSpec, 'containers.0.volumeMounts') as JsonValue[];
  expect(mounts.map(nameOf)).toEqual(['data', 'webhook-cert', 'apiservice-cert']);
});

test('RV-W7 without a certificate provider webhooks come without a CA, and volumes stay', () => {
  const objects = render([acmeCsv({ webhookdefinitions: [webhook({})] })]);
  expect(ofKind(objects, 'ValidatingWebhookConfiguration').metadata).not.toHaveProperty('annotations');
  expect(at(ofKind(objects, 'Deployment'), 'spec.template.spec')).not.toHaveProperty('volumes');
  expect(names(objects).some((name) => name.startsWith('Certificate'))).toBe(false);
});

const crdName = 'gauges.gauges.tide.example';

function gaugeCrd(spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName },
    spec: {
      group: 'gauges.tide.example',
      names: { kind: 'Gauge', plural: 'gauges' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      ...spec,
    },
  };
}

const conversion = webhook({
  type: 'ConversionWebhook',
  generateName: 'cgauge.tide.example',
  deploymentName: 'tide.gauge',
  containerPort: 8443,
  targetPort: null,
  webhookPath: null,
  conversionCRDs: [crdName],
});

const tideCsv = (spec: JsonObject = {}): JsonObject =>
  withDeployment((deployment) => ({ ...deployment, name: 'tide.gauge' }), {
    installModes: installModes('A'),
    customresourcedefinitions: { owned: [{ name: crdName, version: 'v1', kind: 'Gauge' }] },
    webhookdefinitions: [conversion],
    ...spec,
  });

test("RV-W8 a conversion webhook with OpenShift's service CA", () => {
  const options = { installNamespace: 'tide', certificates: findCertificateProvider('openshift-service-ca') };
  const objects = render([tideCsv(), gaugeCrd()], options as Partial<RenderOptions>);
  const crd = ofKind(objects, 'CustomResourceDefinition');
  expect(crd.metadata['annotations']).toEqual({ 'service.beta.openshift.io/inject-cabundle': 'true' });
  expect(at(crd, 'spec.conversion')).toEqual({
    strategy: 'Webhook',
    webhook: {
      clientConfig: { service: { namespace: 'tide', name: 'tide-gauge-service', path: '/', port: 8443 } },
      conversionReviewVersions: ['v1'],
    },
  });
  const gaugeService = ofKind(objects, 'Service');
  expect(at(gaugeService, 'spec.ports')).toEqual([{ name: '8443', port: 8443, targetPort: 8443 }]);
  expect(gaugeService.metadata['annotations']).toEqual({
    'service.beta.openshift.io/serving-cert-secret-name': 'tide-gauge-service-cert',
  });
  expect(names(objects).some((name) => /WebhookConfiguration|Issuer/.test(name))).toBe(false);
});

test('RV-W9 a CRD that preserves unknown fields cannot be converted', () => {
  expect(() => render([tideCsv(), gaugeCrd({ preserveUnknownFields: true })])).toThrow(
    `custom resource definition '${crdName}' must have .spec.preserveUnknownFields set to false to let API Server call webhook to do the conversion`,
  );
});

const extra = (apiVersion: string, kind: string, members: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: kind.toLowerCase(), namespace: 'dev' },
  ...members,
});

test('RV-X1 other objects: namespaced ones in the install namespace, the rest as written', () => {
  const rbac = 'rbac.authorization.k8s.io/v1';
  const subjects = [{ kind: 'ServiceAccount', name: 'gauge', namespace: 'system' }];
  const list = {
    apiVersion: 'v1',
    kind: 'List',
    items: [extra('monitoring.coreos.com/v1', 'PrometheusRule'), extra('v1', 'Service')],
  };
  const viewer = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: 'tide-viewer' }, rules: [] };
  const vpa = { apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler', metadata: { name: 'vpa' } };
  const manifests = [acmeCsv(), extra('v1', 'ConfigMap'), viewer, extra(rbac, 'RoleBinding', { subjects }), list, vpa];
  const objects = render(manifests, { installNamespace: 'tide', amendments: 'all' });
  const others = objects.slice(5, -1);
  expect(names(others)).toEqual([
    'ConfigMap tide configmap',
    'ClusterRole tide-viewer',
    'RoleBinding tide rolebinding',
    'PrometheusRule tide prometheusrule',
    'Service tide service',
    'VerticalPodAutoscaler tide vpa',
  ]);
  expect(others[1]).toEqual(viewer);
  expect(others[2]?.['subjects']).toEqual(subjects);
  expect(() => render([acmeCsv(), extra('networking.k8s.io/v1', 'Ingress')])).toThrow(
    'unsupported resource "ingress" with kind "Ingress"',
  );
});

test('U25, U26, U28 a Service goes to the namespace of the installation, whichever it names; what is cluster-scoped has none', () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'quay' } };
  const urgent = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'urgent' }, value: 1 };
  const objects = render([acmeCsv(), service, extra('v1', 'Service'), urgent], { installNamespace: 'tide' });
  const expected = ['Service tide quay', 'Service tide service', 'PriorityClass urgent'];
  expect(names(objects).filter((name) => expected.includes(name))).toEqual(expected);
});

test('U27 a kind that the format does not know is refused, and nothing is rendered', () => {
  expect(() => render([acmeCsv(), extra('v1', 'Event')])).toThrow('unsupported resource "event" with kind "Event"');
});

test('RV-X2 kinds of an operator that are called as those of Kubernetes are passed on, and never taken for them', () => {
  const named = (name: string, object: JsonObject): JsonObject => ({ ...object, metadata: { name } });
  const iam = 'iam.services.k8s.aws/v1alpha1';
  const foreign = [
    named(`${manager}-service`, extra('serving.knative.dev/v1', 'Service')),
    named('reader', extra(iam, 'Role', { rules: 'all' })),
    named('reader', extra(iam, 'RoleBinding', { subjects: [{ kind: 'ServiceAccount', name: 'a' }] })),
    named('acme-widget-controller', extra('acme.example/v1', 'ServiceAccount')),
  ];
  const role = named('reader', extra('rbac.authorization.k8s.io/v1', 'Role', { rules: [] }));
  const csv = acmeCsv({ webhookdefinitions: [webhook({})] });
  const isForeign = ({ apiVersion }: RenderedObject): boolean => /knative|aws|acme/.test(apiVersion);
  const objects = render([csv, role, ...foreign], { installNamespace: 'tide', certificates, amendments: 'all' });
  const placed = foreign.map((object) => ({
    ...object,
    metadata: { ...(object['metadata'] as JsonObject), namespace: 'tide' },
  }));
  expect(objects.filter(isForeign)).toEqual(placed);
  const own = render([csv, role], { installNamespace: 'tide', certificates, amendments: 'all' });
  expect(objects.filter((object) => !isForeign(object))).toEqual(own);
});

test('RV-O3 twice the same, whatever was rendered between', () => {
  const bundle = readRegistryBundle(registryFiles([acmeCsv({ webhookdefinitions: [webhook({}), mutating] })]));
  const once = (): string => JSON.stringify(renderBundle(bundle, { installNamespace: acme, certificates }));
  const first = once();
  renderBundle(bundle, { installNamespace: 'other', targetNamespaces: ['shop'] });
  expect(once()).toBe(first);
});

test('what cannot be rendered in the requested namespaces is refused with the modes that can', () => {
  const csv = acmeCsv({ installModes: installModes('O') });
  expect(() => render([csv])).toThrow(
    'invalid option(s): invalid target namespaces []: exactly one target namespace must be specified',
  );
});

test('whole numbers of 64 bits keep every digit: as quantities, in the typed parts and in objects of any kind', () => {
  const resources = '{"limits": {"memory": 9007199254740993}}';
  const csv = JSON.stringify(acmeCsv()).replace(
    '"name":"manager"',
    `"name":"manager","resources":${resources},"securityContext":{"runAsUser":9007199254740993}`,
  );
  const rule =
    'apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: rule}\nspec: {limit: 9223372036854775807}\n';
  const text = JSON.stringify(render([csv, rule]));
  expect(text).toContain('"limits":{"memory":"9007199254740993"}');
  expect(text).toContain('"runAsUser":9007199254740993');
  expect(text).toContain('"limit":9223372036854775807');
});
