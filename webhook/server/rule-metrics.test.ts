import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { parseBundle } from '../../src/api/index.ts';
import { type JsonObject, silentLogger } from '../../src/base/index.ts';
import { createMetrics } from '../../src/metrics/index.ts';
import { sampleCrd } from '../../test/support/index.ts';
import type { FactsReader } from '../review/facts.ts';
import { rules } from '../rules.ts';
import { buildWebhook } from './app.ts';

const rukpak = 'core.rukpak.io/v1alpha1';
const provisionerClassName = 'core-rukpak-io-plain';

function bundleOf(source: JsonObject): JsonObject {
  const spec = { provisionerClassName, source };
  return { apiVersion: rukpak, kind: 'Bundle', metadata: { name: 'a' }, spec, status: { phase: 'Unpacked' } };
}

function deploymentOf(source: JsonObject): JsonObject {
  const spec = { provisionerClassName, template: { spec: { provisionerClassName, source } } };
  return { apiVersion: rukpak, kind: 'BundleDeployment', metadata: { name: 'a' }, spec };
}

function operatorOf(name: string): JsonObject {
  const spec = { package: { name } };
  return { apiVersion: 'platform.openshift.io/v1alpha1', kind: 'PlatformOperator', metadata: { name }, spec };
}

const git = { repository: 'r', ref: { tag: 'v1' } };
const outside = { type: 'git', git: { ...git, directory: '../x' } };
const moving = { type: 'git', git };
const crd = sampleCrd([{ name: 'v1', schema: { type: 'object' } }], {});
const catalog = {
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterCatalog',
  metadata: { name: 'c' },
  spec: {},
};
const machine = {
  apiVersion: 'machine.openshift.io/v1beta1',
  kind: 'Machine',
  metadata: { namespace: 'machines', name: 'm' },
  spec: {},
};
const inSystem = { name: 'cm', namespace: 'rukpak-system' };

const reviews: readonly (readonly [string, JsonObject])[] = [
  ['core-rukpak-io-v1alpha1-bundle', { operation: 'CREATE', object: bundleOf(outside) }],
  ['core-rukpak-io-v1alpha1-bundle', { operation: 'CREATE', object: bundleOf(moving) }],
  ['core-rukpak-io-v1alpha1-bundle', { operation: 'UPDATE', object: bundleOf(moving), oldObject: bundleOf(outside) }],
  ['core-rukpak-io-v1alpha1-bundledeployment', { operation: 'CREATE', object: deploymentOf(moving) }],
  ['core-rukpak-io-v1alpha1-bundledeployment', { operation: 'DELETE', oldObject: deploymentOf(moving) }],
  ['core-v1-configmap', { operation: 'CREATE', ...inSystem, object: { metadata: inSystem } }],
  ['core-v1-configmap', { operation: 'DELETE', ...inSystem, oldObject: { metadata: inSystem } }],
  ['platform-openshift-io-v1alpha1-platformoperator', { operation: 'CREATE', object: operatorOf('p') }],
  [
    'platform-openshift-io-v1alpha1-platformoperator',
    { operation: 'UPDATE', object: operatorOf('p'), oldObject: operatorOf('q') },
  ],
  ['crd', { operation: 'UPDATE', object: crd, oldObject: crd }],
  ['machine-openshift-io-v1beta1-machine', { operation: 'UPDATE', object: machine, oldObject: machine }],
];

const facts: FactsReader = {
  readConfigMap: () => Promise.resolve(undefined),
  readObjects: () => Readable.from([]),
  hasDependencies: () => Promise.resolve(true),
  listBundles: () => Readable.from([[parseBundle(bundleOf(moving))]]),
  listDeployments: () => Readable.from([]),
  listPlatformOperators: () => Promise.resolve([]),
  offersFor: () => [],
  mayDo: () => Promise.resolve(true),
  isAbsent: () => Promise.resolve(false),
  servesApi: () => Promise.resolve(false),
};

test('metrics report evaluations, findings and duration of each rule', async () => {
  const metrics = createMetrics();
  await using app = buildWebhook({ facts, systemNamespace: 'rukpak-system', log: silentLogger(), metrics });
  const ask = async (url: string, request: JsonObject): Promise<void> => {
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u', ...request } };
    expect((await app.inject({ method: 'POST', url, payload: review })).statusCode).toBe(200);
  };
  for (const [path, request] of reviews) await ask(`/validate-${path}`, request);
  await ask('/mutate-olm-operatorframework-io-v1-clustercatalog', { operation: 'CREATE', object: catalog });

  const { text } = await metrics.show();
  const rulesOf = (name: string): Set<string | undefined> =>
    new Set([...text.matchAll(new RegExp(`^${name}\\{webhook="[^"]+",rule="([^"]+)"`, 'gm'))].map(([, rule]) => rule));
  const all = new Set(Object.keys(rules));
  expect(rulesOf('longshore_webhook_rule_evaluations_total')).toEqual(all);
  expect(rulesOf('longshore_webhook_rule_seconds_total')).toEqual(all);
  expect(rulesOf('longshore_webhook_findings_total')).toEqual(all);
  const ofBundles = (name: string, rule: string, more = ''): string =>
    `longshore_webhook_${name}{webhook="vbundles.core.rukpak.io",rule="${rule}"${more}} `;
  expect(text).toContain(`${ofBundles('rule_evaluations_total', 'git-directory')}2\n`);
  expect(text).toContain(`${ofBundles('findings_total', 'git-directory', ',decision="denied"')}1\n`);
  expect(text).toContain(`${ofBundles('findings_total', 'moving-reference', ',decision="warned"')}2\n`);
  expect(text).toContain(`${ofBundles('findings_total', 'spec-immutable', ',decision="denied"')}1\n`);
});
