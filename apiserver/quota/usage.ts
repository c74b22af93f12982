import { lazily } from '../../src/base/index.ts';
import { type KubeObject, objectOf, objectsOf, type ResourceType, textOf } from '../core/index.ts';
import { addLists, type ResourceList, resourceList } from '../schema/index.ts';
import { podTotals } from './pod-totals.ts';

const computeNames = ['cpu', 'memory', 'ephemeral-storage'];
/** Kinds that are counted by their plain names too. */
const plainCounts = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas']);
const storageClassSuffix = '.storageclass.storage.k8s.io/';

function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

/** What one container, or a whole pod, uses of each name that a quota may limit. */
function computeUsage(requests: ResourceList, limits: ResourceList): ResourceList {
  const usage: Record<string, string> = {};
  for (const [name, amount] of Object.entries(requests)) {
    const isCompute = computeNames.includes(name) || name.startsWith('hugepages-');
    if (isCompute) usage[name] = amount;
    if (isCompute || isExtended(name)) usage[`requests.${name}`] = amount;
  }
  for (const [name, amount] of Object.entries(limits)) {
    if (computeNames.includes(name)) usage[`limits.${name}`] = amount;
  }
  return usage;
}

/** Pods that have run to their end use nothing but their place in the store. */
function isDone(pod: KubeObject): boolean {
  return ['Failed', 'Succeeded'].includes(textOf(objectOf(pod['status'])['phase']));
}

function podUsage(pod: KubeObject): ResourceList {
  if (isDone(pod)) return {};
  const spec = objectOf(pod['spec']);
  const overhead = resourceList(spec['overhead']);
  const requests = addLists(podTotals(spec, 'requests'), overhead);
  const limits = podTotals(spec, 'limits');
  const added = addLists(
    limits,
    Object.fromEntries(Object.entries(overhead).filter(([name]) => Object.hasOwn(limits, name))),
  );
  return { pods: '1', ...computeUsage(requests, added) };
}

function serviceUsage(service: KubeObject): ResourceList {
  const spec = objectOf(service['spec']);
  const ports = String(objectsOf(spec['ports']).length);
  const type = textOf(spec['type']);
  const hasNodePorts =
    type === 'NodePort' || (type === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);
  return {
    services: '1',
    'services.nodeports': hasNodePorts ? ports : '0',
    'services.loadbalancers': type === 'LoadBalancer' ? '1' : '0',
  };
}

function claimUsage(claim: KubeObject): ResourceList {
  const spec = objectOf(claim['spec']);
  const beta = claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  const className = beta ?? textOf(spec['storageClassName']);
  const { storage } = resourceList(objectOf(spec['resources'])['requests']);
  const own = { persistentvolumeclaims: '1', ...(storage === undefined ? {} : { 'requests.storage': storage }) };
  if (className === '') return own;
  const ofClass = Object.entries(own).map(([name, amount]) => [`${className}${storageClassSuffix}${name}`, amount]);
  return { ...own, ...(Object.fromEntries(ofClass) as ResourceList) };
}

const special: ReadonlyMap<string, (object: KubeObject) => ResourceList> = new Map([
  ['pods', podUsage],
  ['services', serviceUsage],
  ['persistentvolumeclaims', claimUsage],
]);

/** What one object uses of everything that a quota may limit. */
export function usageOf(type: ResourceType, object: KubeObject): ResourceList {
  const count = {
    [`count/${type.storageKey}`]: '1',
    ...(plainCounts.has(type.storageKey) ? { [type.storageKey]: '1' } : {}),
  };
  return { ...count, ...special.get(type.storageKey)?.(object) };
}

/** The storage key of the kind whose objects a name counts; undefined for names that mean nothing here. */
export function countedKind(name: string): string | undefined {
  if (name.startsWith('count/')) return name.slice('count/'.length);
  if (plainCounts.has(name)) return name;
  if (name === 'services' || name.startsWith('services.')) return 'services';
  const isOfClaims =
    name === 'persistentvolumeclaims' || name === 'requests.storage' || name.includes(storageClassSuffix);
  if (isOfClaims) return 'persistentvolumeclaims';
  return isOfPods(name) ? 'pods' : undefined;
}

function isOfPods(name: string): boolean {
  const [, bare = name] = /^(?:requests|limits)\.(.+)$/.exec(name) ?? [];
  return (
    name === 'pods' || computeNames.includes(bare) || bare.startsWith('hugepages-') || name.startsWith('requests.')
  );
}

/** Names that are asked of each container when they are limited. */
const demanded = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);

/** Names of the containers of a pod that do not specify a demanded resource, by its name. */
function silentContainers(pod: KubeObject): ReadonlyMap<string, readonly string[]> {
  const spec = objectOf(pod['spec']);
  const silent = new Map([...demanded].map((name) => [name, new Set<string>()]));
  for (const container of [...objectsOf(spec['containers']), ...objectsOf(spec['initContainers'])]) {
    const { requests, limits } = objectOf(container['resources']);
    const declared = computeUsage(resourceList(requests), resourceList(limits));
    for (const [name, names] of silent) if (!Object.hasOwn(declared, name)) names.add(textOf(container['name']));
  }
  return new Map([...silent].map(([name, names]) => [name, [...names].toSorted()]));
}

/** For any number of quotas of a pod, whose containers are read once: describes the limited resources that they do not specify; empty if there are
 *  none. */
export function missingCompute(pod: KubeObject): (limited: readonly string[]) => string {
  const silent = lazily(() => silentContainers(pod));
  return (limited) => {
    const lacking = limited.filter((name) => demanded.has(name)).toSorted();
    const words = lacking.flatMap((name) => {
      const names = silent().get(name) ?? [];
      return names.length === 0 ? [] : [`${name} for: ${names.join(',')}`];
    });
    return words.length === 0 ? '' : `must specify ${words.join('; ')}`;
  };
}
