import { expect, test } from 'vitest';
import { acmeCsv, registryFiles, sampleCrd } from '../../../test/support/index.ts';
import { installBatches } from '../../apply/index.ts';
import type { JsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { renderInstallation } from './installation.ts';
import { readRegistryBundle } from './read.ts';

const cluster = { certificateProviders: ['cert-manager'], kubeVersion: 'v1.33.1' };
const deploymentName = 'acme-widget-controller-manager';
const webhook = { deploymentName, sideEffects: 'None', admissionReviewVersions: ['v1'], containerPort: 443 };

test('RV-O1 an operator is applied from its account to its webhooks, and nothing waits for what comes after it', () => {
  const webhookdefinitions = [
    { ...webhook, type: 'ValidatingAdmissionWebhook', generateName: 'v.acme.example' },
    { ...webhook, type: 'MutatingAdmissionWebhook', generateName: 'm.acme.example' },
  ];
  const bundle = readRegistryBundle(registryFiles([acmeCsv({ webhookdefinitions })]));
  const config = { installNamespace: 'acme-system', watchNamespace: 'shop' };
  const { objects } = renderInstallation(bundle, { config, cluster });
  const kinds = installBatches(objects as unknown as readonly KubeObject[]).map((batch) =>
    [...new Set(batch.map(({ kind }) => kind))].sort().join(' '),
  );
  expect(kinds).toEqual([
    'ServiceAccount',
    'ClusterRole',
    'ClusterRoleBinding',
    'Role',
    'RoleBinding',
    'Service',
    'Issuer',
    'Certificate',
    'Deployment',
    'MutatingWebhookConfiguration ValidatingWebhookConfiguration',
  ]);
});

test('RV-O2 what a server would write is not applied, though a manifest has it', () => {
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'c',
      labels: { a: 'b' },
      annotations: { note: 'x', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'u' }],
      finalizers: ['example.com/f'],
      generateName: 'c-',
      uid: 'u',
      resourceVersion: '1',
      managedFields: [],
      creationTimestamp: null,
    },
    data: { k: 'v' },
    status: {},
  };
  const bundle = readRegistryBundle(registryFiles([acmeCsv(), configMap]));
  const { objects } = renderInstallation(bundle, { config: { installNamespace: 'acme-system' }, cluster });
  expect(objects.find(({ kind }) => kind === 'ConfigMap')).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'c',
      namespace: 'acme-system',
      labels: { a: 'b' },
      annotations: {
        note: 'x',
        'olm.operatorframework.io/bundle-version': '',
        'olm.operatorframework.io/package-name': 'acme-widget',
      },
    },
    data: { k: 'v' },
  });
});

test('a conversion webhook of another owner is installed as it is, unless the configuration drops it', () => {
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } };
  const crd = sampleCrd([{ name: 'v1', schema: { type: 'object' } }], { conversion });
  const bundle = readRegistryBundle(registryFiles([acmeCsv(), crd]));
  const installed = (config: JsonObject): string =>
    JSON.stringify(renderInstallation(bundle, { config, cluster }).objects.find(({ kind }) => kind === crd.kind));
  expect(installed({})).toContain('"conversion"');
  expect(installed({ dropForeignConversion: true, amendments: 'none' })).not.toContain('"conversion"');
});
