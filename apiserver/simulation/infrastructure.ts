import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { type Controller, specOf, statusOf, typeOf, unlessGone } from '../controllers/controller.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { nodeName } from './pods.ts';
import { keyOf, keyText, type SimulationContext, shortHash, writeStatus } from './simulated.ts';

const binder = 'system:serviceaccount:kube-system:persistent-volume-binder';
const cloudProvider = 'system:serviceaccount:kube-system:service-controller';
const reclaimPolicy = 'Delete';

function storageOf(claim: KubeObject): JsonObject {
  const { resources } = specOf(claim);
  const requests = isJsonObject(resources) && isJsonObject(resources.requests) ? resources.requests : {};
  return { storage: requests.storage ?? '1Gi' };
}

function volumeFor(claim: KubeObject, name: string): KubeObject {
  const { apiVersion, kind, metadata } = claim;
  const { namespace = '', name: claimName = '', uid = '' } = metadata;
  const { accessModes, storageClassName, volumeMode } = specOf(claim);
  const spec: JsonObject = {
    capacity: storageOf(claim),
    accessModes: accessModes ?? ['ReadWriteOnce'],
    claimRef: { apiVersion, kind, namespace, name: claimName, uid },
    persistentVolumeReclaimPolicy: reclaimPolicy,
    hostPath: { path: `/simulated/${name}` },
    ...(storageClassName === undefined ? {} : { storageClassName }),
    ...(volumeMode === undefined ? {} : { volumeMode }),
  };
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec };
}

/** Every claim gets a volume of just its size, and takes it along when it goes; one that selects among volumes waits for them. */
export function volumeSimulation({ cluster }: SimulationContext): Controller {
  const claims = typeOf(cluster, 'persistentvolumeclaims');
  const volumes = typeOf(cluster, 'persistentvolumes');
  const ensureVolume = async (claim: KubeObject, name: string): Promise<void> => {
    const volume =
      cluster.get(volumes, { namespace: '', name }) ??
      (await cluster.create(volumes, volumeFor(claim, name), { as: binder }));
    await writeStatus(cluster, { type: volumes, object: volume, as: binder }, { phase: 'Bound' });
  };
  const release = async (name: string): Promise<void> => {
    const volume = cluster.get(volumes, { namespace: '', name });
    if (volume === undefined) return;
    await writeStatus(cluster, { type: volumes, object: volume, as: binder }, { phase: 'Released' });
    await unlessGone(cluster.delete(volumes, { namespace: '', name }, { as: binder }));
  };
  return {
    name: 'simulated-volumes',
    keysOf: ({ resource, object, type }) => {
      if (resource.storageKey !== 'persistentvolumeclaims') return [];
      return [type === 'DELETED' ? `release/pvc-${object.metadata.uid ?? ''}` : `bind/${keyText(object)}`];
    },
    work: async (text) => {
      const [action, ...rest] = text.split('/');
      if (action === 'release') return await release(rest.join('/'));
      const key = keyOf(rest.join('/'));
      const claim = cluster.get(claims, key);
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
      if (statusOf(claim).phase === 'Bound' || specOf(claim).selector !== undefined) return;
      const given = specOf(claim).volumeName;
      const name = typeof given === 'string' && given !== '' ? given : `pvc-${claim.metadata.uid}`;
      await ensureVolume(claim, name);
      const annotations = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };
      const change = { metadata: { annotations }, spec: { volumeName: name } };
      const bound = given === name ? claim : await cluster.patch(claims, key, change, { as: binder });
      const accessModes: JsonValue = specOf(bound).accessModes ?? ['ReadWriteOnce'];
      const status = { phase: 'Bound', accessModes, capacity: storageOf(bound) };
      await writeStatus(cluster, { type: claims, object: bound, as: binder }, status);
    },
  };
}

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
      const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
      const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} };
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
