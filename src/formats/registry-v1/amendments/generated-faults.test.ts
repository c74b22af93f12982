/** What generated operators have shown to be wrong, each as small as it gets. */
import { expect, test } from 'vitest';
import { acmeCsv, installModes, registryFiles } from '../../../../test/support/index.ts';
import { type JsonObject, objectAt, objectsAt } from '../../../base/index.ts';
import { findCertificateProvider } from '../certificates.ts';
import { readRegistryBundle } from '../read.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import { renderBundle } from '../render.ts';
import type { AmendmentChoice } from './index.ts';

const place = '/apiserver.local.config/certificates';

function deployment(name: string, podSpec: JsonObject = {}): JsonObject {
  return { name, spec: { template: { metadata: { labels: { a: 'b' } }, spec: podSpec } } };
}

function operator(deployments: readonly JsonObject[], spec: JsonObject = {}): JsonObject {
  const install = { strategy: 'deployment', spec: { deployments: [...deployments] } };
  return acmeCsv({ installModes: installModes('A'), install, ...spec });
}

function render(manifests: readonly JsonObject[], amendments: AmendmentChoice = 'all'): readonly RenderedObject[] {
  const certificates = findCertificateProvider('cert-manager');
  const options = certificates === undefined ? {} : { certificates };
  const bundle = readRegistryBundle(registryFiles(manifests));
  return renderBundle(bundle, { installNamespace: 'acme', amendments, ...options });
}

const ofKind = (objects: readonly RenderedObject[], kind: string): readonly RenderedObject[] =>
  objects.filter((object) => object.kind === kind);

test('two Deployments whose Issuers have one name after they are cut share it', () => {
  const names = ['a', 'b'].map((last) => `${'x'.repeat(46)}${last}`);
  const webhookdefinitions = names.map((deploymentName, index) => ({
    type: 'ValidatingAdmissionWebhook',
    generateName: `v${index}.acme.example`,
    deploymentName,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }));
  const csv = operator(
    names.map((name) => deployment(name)),
    { webhookdefinitions },
  );
  expect(ofKind(render([csv], 'none'), 'Issuer')).toHaveLength(2);
  expect(ofKind(render([csv]), 'Issuer')).toHaveLength(1);
  expect(ofKind(render([csv]), 'Certificate')).toHaveLength(2);
});

test('a shipped object that belongs to the cluster as a whole loses its namespace', () => {
  const priority = {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'high', namespace: 'system' },
    value: 1,
  };
  const namespaceWith = (choice: AmendmentChoice): unknown =>
    ofKind(render([operator([deployment('a')]), priority], choice), 'PriorityClass')[0]?.metadata.namespace;
  expect(namespaceWith('none')).toBe('system');
  expect(namespaceWith('all')).toBeUndefined();
});

test('an init container of an aggregated API has no mount of a removed volume', () => {
  const mounted = { name: 'main', volumeMounts: [{ name: 'mine', mountPath: place }] };
  const podSpec = { initContainers: [mounted], containers: [mounted], volumes: [{ name: 'mine', emptyDir: {} }] };
  const api = { name: 'a', group: 'a.example', version: 'v1', kind: 'A', deploymentName: 'server' };
  const csv = operator([deployment('server', podSpec)], { apiservicedefinitions: { owned: [api] } });
  const [made] = ofKind(render([csv]), 'Deployment');
  const pod = objectAt(made, 'spec', 'template', 'spec');
  const volumes = objectsAt(pod, 'volumes').map(({ name }) => name);
  const mounts = objectsAt(objectsAt(pod, 'initContainers')[0], 'volumeMounts').map(({ name }) => name);
  expect([volumes, mounts]).toEqual([
    ['webhook-cert', 'apiservice-cert'],
    ['webhook-cert', 'apiservice-cert'],
  ]);
});

test('of two shipped accounts of one name that differ the last one is installed', () => {
  const account = (labels: JsonObject): JsonObject => {
    return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'acme-widget-controller', labels } };
  };
  const labelsOf = (...accounts: readonly JsonObject[]): readonly unknown[] =>
    ofKind(render([acmeCsv(), ...accounts]), 'ServiceAccount').map(({ metadata }) => metadata['labels']);
  expect(labelsOf(account({ a: 'b' }), account({ c: 'd' }))).toEqual([{ c: 'd' }]);
  expect(labelsOf(account({ a: 'b' }), account({ a: 'b' }))).toEqual([{ a: 'b' }]);
});
