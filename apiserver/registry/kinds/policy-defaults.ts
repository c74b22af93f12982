import type { JsonObject } from '../../../src/base/index.ts';
import type { KubeObject } from '../kube-object.ts';
import { asJson, ensureObject, listAt, objectAt, objectsAt, setDefaults, textAt, valueAt } from './reading.ts';

const rbac = 'rbac.authorization.k8s.io';

export function defaultNetworkPolicy(object: KubeObject): void {
  const spec = ensureObject(asJson(object), 'spec');
  ensureObject(spec, 'podSelector');
  const policyTypes = listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  if (listAt(spec, 'policyTypes').length === 0) spec['policyTypes'] = policyTypes;
  for (const rule of [...objectsAt(spec, 'ingress'), ...objectsAt(spec, 'egress')]) {
    for (const port of objectsAt(rule, 'ports')) setDefaults(port, { protocol: 'TCP' });
  }
}

export function defaultIngressClass(object: KubeObject): void {
  const parameters = objectAt(asJson(object), 'spec', 'parameters');
  if (parameters !== undefined) setDefaults(parameters, { scope: 'Cluster' });
}

export function defaultPersistentVolumeClaim(object: KubeObject): void {
  setDefaults(ensureObject(asJson(object), 'spec'), { volumeMode: 'Filesystem' });
}

export function defaultPersistentVolume(object: KubeObject): void {
  const spec = ensureObject(asJson(object), 'spec');
  setDefaults(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
  const hostPath = objectAt(spec, 'hostPath');
  if (hostPath !== undefined && valueAt(hostPath, 'type') === undefined) hostPath['type'] = '';
}

export function defaultStorageClass(object: KubeObject): void {
  setDefaults(asJson(object), { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
}

export function defaultPriorityClass(object: KubeObject): void {
  setDefaults(asJson(object), { preemptionPolicy: 'PreemptLowerPriority' });
}

export function defaultBinding(object: KubeObject): void {
  setDefaults(ensureObject(asJson(object), 'roleRef'), { apiGroup: rbac });
  for (const subject of objectsAt(asJson(object), 'subjects')) {
    if (textAt(subject, 'kind') !== 'ServiceAccount') setDefaults(subject, { apiGroup: rbac });
  }
}

/** The type, and `stringData` folded into `data`: it is written, never read. */
export function defaultSecret(object: KubeObject): void {
  const secret = asJson(object);
  setDefaults(secret, { type: 'Opaque' });
  const texts = objectAt(secret, 'stringData');
  delete secret['stringData'];
  if (texts === undefined) return;
  const data = ensureObject(secret, 'data');
  for (const [key, text] of Object.entries(texts)) {
    if (typeof text === 'string') data[key] = Buffer.from(text).toString('base64');
  }
}

const cpuMetric: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};
const scaleUpPolicies: JsonObject[] = [
  { type: 'Pods', value: 4, periodSeconds: 15 },
  { type: 'Percent', value: 100, periodSeconds: 15 },
];

export function defaultAutoscaler(object: KubeObject): void {
  const spec = ensureObject(asJson(object), 'spec');
  setDefaults(spec, { minReplicas: 1 });
  if (listAt(spec, 'metrics').length === 0) spec['metrics'] = [structuredClone(cpuMetric)];
  const behavior = objectAt(spec, 'behavior');
  if (behavior === undefined) return;
  setDefaults(ensureObject(behavior, 'scaleUp'), {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: scaleUpPolicies,
  });
  setDefaults(ensureObject(behavior, 'scaleDown'), {
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  });
}

export function defaultAutoscalerV1(object: KubeObject): void {
  setDefaults(ensureObject(asJson(object), 'spec'), { minReplicas: 1 });
}

export function defaultApiService(object: KubeObject): void {
  const service = objectAt(asJson(object), 'spec', 'service');
  if (service !== undefined) setDefaults(service, { port: 443 });
}

export function defaultEndpoints(object: KubeObject): void {
  for (const subset of objectsAt(asJson(object), 'subsets')) {
    for (const port of objectsAt(subset, 'ports')) setDefaults(port, { protocol: 'TCP' });
  }
}

export function defaultEndpointSlice(object: KubeObject): void {
  for (const port of objectsAt(asJson(object), 'ports')) setDefaults(port, { name: '', protocol: 'TCP' });
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
