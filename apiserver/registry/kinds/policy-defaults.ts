import { type JsonObject, listAt, objectAt, objectsAt } from '../../../src/base/index.ts';
import { asJson, ensureObject, type KubeObject, setDefaults } from '../../core/index.ts';

export function defaultNetworkPolicy(object: KubeObject): void {
  const spec = ensureObject(asJson(object), 'spec');
  ensureObject(spec, 'podSelector');
  const policyTypes = listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  if (listAt(spec, 'policyTypes').length === 0) spec['policyTypes'] = policyTypes;
  for (const rule of [...objectsAt(spec, 'ingress'), ...objectsAt(spec, 'egress')]) {
    for (const port of objectsAt(rule, 'ports')) setDefaults(port, { protocol: 'TCP' });
  }
}

function defaultRules(webhook: JsonObject): void {
  for (const rule of objectsAt(webhook, 'rules')) setDefaults(rule, { scope: '*' });
  const service = objectAt(webhook, 'clientConfig', 'service');
  if (service !== undefined) setDefaults(service, { port: 443 });
}

export function defaultValidatingWebhooks(object: KubeObject): void {
  for (const webhook of objectsAt(asJson(object), 'webhooks')) {
    setDefaults(webhook, {
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      timeoutSeconds: 10,
      namespaceSelector: {},
      objectSelector: {},
    });
    defaultRules(webhook);
  }
}

export function defaultMutatingWebhooks(object: KubeObject): void {
  defaultValidatingWebhooks(object);
  for (const webhook of objectsAt(asJson(object), 'webhooks')) setDefaults(webhook, { reinvocationPolicy: 'Never' });
}
