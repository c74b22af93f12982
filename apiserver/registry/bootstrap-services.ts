import { networkInterfaces } from 'node:os';
import type { KubeObject } from '../core/index.ts';

const servicePort = { name: 'https', port: 443, protocol: 'TCP' };

/** The Service through which pods would find the API. */
export function kubernetesService(port: number): KubeObject {
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      ports: [{ ...servicePort, targetPort: port }],
      sessionAffinity: 'None',
    },
  };
}

/** The network that services get their addresses from. */
export const serviceNetwork: KubeObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: 'kubernetes' },
  spec: { cidrs: ['10.96.0.0/12'] },
};

/** An address of this machine that others might reach it at; a loopback address may not stand in Endpoints. */
export function advertisedAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

/** Endpoints and EndpointSlice of the Service `kubernetes`. */
export function kubernetesEndpoints(ip: string, port: number): KubeObject[] {
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  const metadata = { name: 'kubernetes', namespace: 'default' };
  return [
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip }], ports }],
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [ip], conditions: { ready: true } }],
      ports,
    },
  ];
}
