import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { withoutForeignFields } from './foreign-fields.ts';

const clientConfig = { caBundle: 'Cg==', service: { name: 'a', namespace: 'b' } };
const withoutBundle = { service: clientConfig.service };

function manifest(kind: string, annotations: Record<string, string>, content: JsonObject) {
  return { apiVersion: 'v1', kind, metadata: { name: 'x', annotations }, ...content };
}

const contents: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
  ValidatingWebhookConfiguration: [
    { webhooks: [{ name: 'one', clientConfig }, { name: 'two', clientConfig: {} }, 3] },
    { webhooks: [{ name: 'one', clientConfig: withoutBundle }, { name: 'two', clientConfig: {} }, 3] },
  ],
  MutatingWebhookConfiguration: [
    { webhooks: [{ name: 'one', clientConfig }] },
    { webhooks: [{ name: 'one', clientConfig: withoutBundle }] },
  ],
  CustomResourceDefinition: [
    { spec: { group: 'g', conversion: { strategy: 'Webhook', webhook: { clientConfig } } } },
    { spec: { group: 'g', conversion: { strategy: 'Webhook', webhook: { clientConfig: withoutBundle } } } },
  ],
  APIService: [{ spec: { caBundle: 'Cg==', group: 'g' } }, { spec: { group: 'g' } }],
};

const annotations = [
  { 'service.beta.openshift.io/inject-cabundle': 'true' },
  { 'cert-manager.io/inject-ca-from': 'a/b' },
  { 'cert-manager.io/inject-ca-from-secret': 'a/b' },
  { 'cert-manager.io/inject-apiserver-ca': 'true' },
];

test.each(Object.entries(contents))('the authority of a %s belongs to its injector', (kind, [content, expected]) => {
  for (const injection of annotations) {
    const object = manifest(kind, injection, content);
    expect(withoutForeignFields(object)).toEqual(manifest(kind, injection, expected));
  }
});

test.each(Object.entries(contents))('the authority of a %s is kept when nothing injects one', (kind, [content]) => {
  for (const none of [{}, { 'service.beta.openshift.io/inject-cabundle': 'false' }]) {
    const object = manifest(kind, none, content);
    expect(withoutForeignFields(object)).toEqual(object);
  }
});

test('a manifest without the member stays as it is', () => {
  for (const content of [{}, { webhooks: 'none' }, { webhooks: [{ clientConfig: null }] }]) {
    const object = manifest('MutatingWebhookConfiguration', annotations[0] ?? {}, content);
    expect(withoutForeignFields(object)).toEqual(object);
  }
});

test('the rules of a ClusterRole are left to the cluster only when it aggregates them', () => {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const aggregated = manifest('ClusterRole', {}, { aggregationRule: { clusterRoleSelectors: [] }, rules });
  expect(withoutForeignFields(aggregated)).not.toHaveProperty('rules');
  const plain = manifest('ClusterRole', {}, { rules });
  expect(withoutForeignFields(plain)).toEqual(plain);
});
