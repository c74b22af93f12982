import type { JsonObject } from '../../src/base/index.ts';
import { groupVersionOf, type ResourceType, type SubresourceType } from '../core/index.ts';
import type { ApiGroup, GroupVersion } from './groups.ts';

function groupVersionEntry(version: GroupVersion): JsonObject {
  return { groupVersion: groupVersionOf(version), version: version.version };
}

/** `GET /api` */
export function apiVersionsDocument(serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

function groupEntry(group: ApiGroup): JsonObject {
  const versions = group.versions.map(groupVersionEntry);
  return { name: group.name, versions, preferredVersion: versions[0] };
}

/** `GET /apis`; the core group is not in it. */
export function groupListDocument(groups: readonly ApiGroup[]): JsonObject {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.filter((group) => group.name !== '').map(groupEntry),
  };
}

/** `GET /apis/G` */
export function groupDocument(group: ApiGroup): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) };
}

/** Those of custom resources have an order of their own. */
function verbsOf(type: ResourceType, verbs: readonly string[]): string[] {
  if (!type.isCustom) return [...verbs].sort();
  return type.isBeingDeleted === true
    ? verbs.filter((verb) => !['create', 'patch', 'update'].includes(verb))
    : [...verbs];
}

function subresourceEntry(type: ResourceType, subresource: SubresourceType): JsonObject {
  const isForeign = subresource.group !== type.group || subresource.version !== type.version;
  return {
    name: `${type.plural}/${subresource.name}`,
    singularName: '',
    namespaced: type.namespaced,
    ...(isForeign ? { group: subresource.group, version: subresource.version } : {}),
    kind: subresource.kind,
    verbs: verbsOf(type, subresource.verbs),
  };
}

function resourceEntries(type: ResourceType): JsonObject[] {
  const entry: JsonObject = {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs: verbsOf(type, type.verbs),
    ...(type.shortNames.length === 0 ? {} : { shortNames: [...type.shortNames] }),
    ...(type.categories.length === 0 ? {} : { categories: [...type.categories] }),
    ...(type.storageVersionHash === undefined ? {} : { storageVersionHash: type.storageVersionHash }),
  };
  return [entry, ...type.subresources.map((subresource) => subresourceEntry(type, subresource))];
}

/** `GET /api/v1`, `GET /apis/G/V` */
export function resourceListDocument(version: GroupVersion): JsonObject {
  return {
    kind: 'APIResourceList',
    ...(version.group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: groupVersionOf(version),
    resources: version.types.flatMap(resourceEntries),
  };
}

/** Of built-in resources a kind of the resource's own group and version has neither. */
function responseKind(
  type: ResourceType,
  { group, version, kind }: Pick<ResourceType, 'group' | 'version' | 'kind'>,
): JsonObject {
  const isOwn = !type.isCustom && group === type.group && version === type.version;
  return isOwn ? { group: '', version: '', kind } : { group, version, kind };
}

function aggregatedResource(type: ResourceType): JsonObject {
  const subresources = type.subresources.map((subresource) => ({
    subresource: subresource.name,
    responseKind: responseKind(type, subresource),
    verbs: verbsOf(type, subresource.verbs),
  }));
  return {
    resource: type.plural,
    responseKind: responseKind(type, type),
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: type.singular,
    verbs: verbsOf(type, type.verbs),
    ...(type.shortNames.length === 0 ? {} : { shortNames: [...type.shortNames] }),
    ...(type.categories.length === 0 ? {} : { categories: [...type.categories] }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** A version that has an APIService and nothing behind it has no resources. */
function isKnown({ types, extension }: GroupVersion): boolean {
  return types.length > 0 || extension !== undefined;
}

function aggregatedVersion({ version, types, extension }: GroupVersion): JsonObject {
  if (extension === undefined) return { version, resources: types.map(aggregatedResource), freshness: 'Current' };
  const { resources, isStale } = extension;
  const known = resources === undefined ? {} : { resources: [...resources] };
  return { version, ...known, freshness: isStale ? 'Stale' : 'Current' };
}

/** `APIGroupDiscoveryList`, everything in one document; `metaVersion` is its version, `v2`. */
export function aggregatedDocument(groups: readonly ApiGroup[], metaVersion: string): JsonObject {
  const items = groups
    .filter(({ versions }) => versions.some(isKnown))
    .map((group) => ({
      metadata: { ...(group.name === '' ? {} : { name: group.name }), creationTimestamp: null },
      versions: group.versions.filter(isKnown).map(aggregatedVersion),
    }));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${metaVersion}`,
    metadata: {},
    items: items as unknown as JsonObject[],
  };
}
