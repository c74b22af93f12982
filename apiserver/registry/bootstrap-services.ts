import type { KubeObject } from './kube-object.ts';
import type { ResourceType } from './resource-type.ts';

/** The Service through which pods would find the API. It has no endpoints: a loopback address may not be one. */
export const kubernetesService: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    labels: { component: 'apiserver', provider: 'kubernetes' },
  },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.96.0.1',
    clusterIPs: ['10.96.0.1'],
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
    sessionAffinity: 'None',
  },
};

/** One APIService, available, for each group-version that the server answers itself. */
export function localApiServices(types: readonly ResourceType[], now: string): KubeObject[] {
  const known = new Map(types.map(({ group, version }) => [`${version}.${group}`, { group, version }]));
  const message = 'Local APIServices are always available';
  const available = { lastTransitionTime: now, message, reason: 'Local', status: 'True', type: 'Available' };
  return [...known].map(([name, { group, version }]) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum: 17_800, versionPriority: 15 },
    status: { conditions: [available] },
  }));
}
