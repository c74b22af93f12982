import { type ClusterServiceVersion, parseClusterServiceVersion } from '../../api/index.ts';
import { type CacheIndex, indexCache, type KindCache, type KubeObject } from '../../kube/index.ts';
import { formatApi, isCopied, ownedApis } from '../../operators/index.ts';
import type { Versions } from './chain.ts';
import { readable } from './readable.ts';

const readAny = readable(parseClusterServiceVersion);

/** The typed view; undefined for copies, and for what an earlier definition let in and cannot be read. */
export function readVersion(object: KubeObject | undefined): ClusterServiceVersion | undefined {
  const csv = object === undefined ? undefined : readAny(object);
  return csv === undefined || isCopied(csv) ? undefined : csv;
}

/** Keys of the index. */
export const versionKeys = {
  every: 'all',
  inNamespace: (namespace: string) => `namespace ${namespace}`,
  replacing: (namespace: string, name: string) => `replaces ${namespace}/${name}`,
  /** Those that own or need the definition. */
  definition: (name: string) => `definition ${name}`,
  owning: (namespace: string, definition: string) => `owns ${namespace} ${definition}`,
  /** Those that own or need the APIService. */
  apiService: (name: string) => `API service ${name}`,
  /** Those that need a kind of the group. */
  nativeGroup: (group: string) => `native ${group}`,
  deployment: (namespace: string, name: string) => `deployment ${namespace}/${name}`,
  account: (namespace: string, name: string) => `account ${namespace}/${name}`,
  /** Those in the namespace whose installation was forbidden. */
  forbidden: (namespace: string) => `forbidden ${namespace}`,
  /** Those that failed because another group provides one of their APIs. */
  conflicting: (api: string) => `conflict ${api}`,
} as const;

/** Reasons of an operator whose APIs another group has, or its own group may not have. */
export const conflictReasons: readonly string[] = [
  'InterOperatorGroupOwnerConflict',
  'CannotModifyStaticOperatorGroupProvidedAPIs',
];

function statusKeys(csv: ClusterServiceVersion): string[] {
  const { namespace = '' } = csv.metadata;
  const reason = csv.status?.reason ?? '';
  if (reason === 'InstallComponentFailedNoRetry') return [versionKeys.forbidden(namespace)];
  if (!conflictReasons.includes(reason)) return [];
  return (ownedApis(csv)?.values() ?? []).map((api) => versionKeys.conflicting(formatApi(api)));
}

function apiKeys({ spec }: ClusterServiceVersion, namespace: string): string[] {
  const { owned = [], required = [] } = spec.customresourcedefinitions ?? {};
  const services = [...(spec.apiservicedefinitions?.owned ?? []), ...(spec.apiservicedefinitions?.required ?? [])];
  return [
    ...[...owned, ...required].map(({ name }) => versionKeys.definition(name)),
    ...owned.map(({ name }) => versionKeys.owning(namespace, name)),
    ...services.map(({ group, version }) => versionKeys.apiService(`${version}.${group}`)),
    ...(spec.nativeAPIs ?? []).map(({ group }) => versionKeys.nativeGroup(group)),
  ];
}

function installKeys({ spec }: ClusterServiceVersion, namespace: string): string[] {
  const { deployments = [], permissions = [], clusterPermissions = [] } = spec.install.spec ?? {};
  return [
    ...deployments.map(({ name }) => versionKeys.deployment(namespace, name)),
    ...[...permissions, ...clusterPermissions].map((one) => versionKeys.account(namespace, one.serviceAccountName)),
  ];
}

function keysOf(object: KubeObject): string[] {
  const csv = readVersion(object);
  if (csv === undefined) return [];
  const { namespace = '' } = csv.metadata;
  const { replaces } = csv.spec;
  return [
    versionKeys.every,
    versionKeys.inNamespace(namespace),
    ...(replaces === undefined ? [] : [versionKeys.replacing(namespace, replaces)]),
    ...apiKeys(csv, namespace),
    ...installKeys(csv, namespace),
    ...statusKeys(csv),
  ];
}

/** Indexes ClusterServiceVersions by what concerns them. */
export function indexVersions(versions: KindCache): CacheIndex {
  return indexCache(versions, keysOf);
}

/** The ClusterServiceVersions of a namespace. */
export function versionsIn(namespace: string, cache: KindCache, index: CacheIndex): Versions {
  return {
    get: (name) => readVersion(cache.get(name, namespace)),
    replacing: (name) =>
      index.get(versionKeys.replacing(namespace, name)).flatMap((object) => {
        const csv = readVersion(object);
        // The index may be behind what was written.
        return csv?.spec.replaces === name ? [csv] : [];
      }),
  };
}
