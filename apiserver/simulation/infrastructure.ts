import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { type Controller, specOf, statusOf, typeOf } from '../controllers/index.ts';
import type { KubeObject } from '../core/index.ts';
import { nodeLabels, nodeName } from './nodes.ts';
import { keyOf, keyText, type SimulationContext, shortHash, writeStatus } from './simulated.ts';

const cloudProvider = 'system:serviceaccount:kube-system:service-controller';

/** Services of type LoadBalancer get an address out of 192.0.2.0/24, which leads nowhere. */
export function loadBalancerSimulation({ cluster }: SimulationContext): Controller {
  const type = typeOf(cluster, 'services');
  return {
    name: 'simulated-load-balancers',
    keysOf: ({ resource, object, type: change }) =>
      resource.storageKey === 'services' && change !== 'DELETED' ? [keyText(object)] : [],
    work: async (text) => {
      const service = cluster.get(type, keyOf(text));
      if (service === undefined || service.metadata.deletionTimestamp !== undefined) return;
      const status = statusOf(service);
      const isBalanced = specOf(service).type === 'LoadBalancer';
      const has = isJsonObject(status.loadBalancer) && Array.isArray(status.loadBalancer.ingress);
      if (isBalanced === has) return;
      const code = shortHash(service.metadata.uid ?? '').charCodeAt(0) * 31 + text.length;
      const ingress = [{ ip: `192.0.2.${1 + (code % 253)}`, ipMode: 'VIP' }];
      const loadBalancer = isBalanced ? { ingress } : {};
      await writeStatus(cluster, { type, object: service, as: cloudProvider }, { ...status, loadBalancer });
    },
  };
}

function nodeConditions(now: string): JsonObject[] {
  const row = (type: string, status: string, why: readonly [reason: string, message: string]): JsonObject => ({
    type,
    status,
    reason: why[0],
    message: why[1],
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  return [
    row('MemoryPressure', 'False', ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available']),
    row('DiskPressure', 'False', ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure']),
    row('PIDPressure', 'False', ['KubeletHasSufficientPID', 'kubelet has sufficient PID available']),
    row('Ready', 'True', ['KubeletReady', 'kubelet is posting ready status']),
  ];
}

/** The one Node, on which everything fits. Made at the start, and again when someone deletes it. */
export function nodeSimulation(context: SimulationContext): Controller {
  const { cluster } = context;
  const type = typeOf(cluster, 'nodes');
  const as = `system:node:${nodeName}`;
  return {
    name: 'simulated-node',
    keysOf: ({ resource, object, type: change }) => {
      const isStart = resource.storageKey === 'namespaces' && object.metadata.name === 'default' && change === 'ADDED';
      return isStart || (resource.storageKey === 'nodes' && change === 'DELETED') ? [nodeName] : [];
    },
    work: async (name) => {
      const metadata = { name, labels: { ...nodeLabels } };
      const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata, spec: {} };
      const object = cluster.get(type, { namespace: '', name }) ?? (await cluster.create(type, node, { as }));
      if (statusOf(object).conditions !== undefined) return;
      const capacity = { cpu: '8', memory: '32Gi', pods: '1000', 'ephemeral-storage': '100Gi' };
      const addresses = [
        { type: 'InternalIP', address: '127.0.0.1' },
        { type: 'Hostname', address: name },
      ];
      const status = { capacity, allocatable: capacity, addresses, conditions: nodeConditions(context.now()) };
      await writeStatus(cluster, { type, object, as }, status);
    },
  };
}
