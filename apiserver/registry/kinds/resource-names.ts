import { qualifiedNameProblems } from '../../../src/schema/index.ts';

/** Names of what is asked for and limited: in containers, quotas and limit ranges. */

export const computeResources: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/** Counted in whole objects. */
export const countedResources: readonly string[] = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];

/** What a quota may name without a domain, but for huge pages. */
export const quotaResources: ReadonlySet<string> = new Set([
  ...computeResources,
  ...computeResources.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...countedResources,
  'requests.storage',
]);

export const hugePagesPrefix = 'hugepages-';

export function isHugePages(name: string): boolean {
  return name.startsWith(hugePagesPrefix);
}

/** Huge pages, or requests of them. */
export function isQuotaHugePages(name: string): boolean {
  return isHugePages(name) || name.startsWith(`requests.${hugePagesPrefix}`);
}

/** Whether Kubernetes itself knows a name that has no domain. */
export function isStandardResource(name: string): boolean {
  return quotaResources.has(name) || name === 'storage' || isQuotaHugePages(name);
}

/** Resources that Kubernetes itself gives out. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** `vendor.example/device`: given out in whole pieces, never overcommitted. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return qualifiedNameProblems(`requests.${name}`).length === 0;
}
