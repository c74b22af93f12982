import type { JsonObject } from '../../../src/base/index.ts';
import type { ResourceType } from '../../core/index.ts';
import type { ApiGroup, GroupVersion } from '../groups.ts';
import { convertToV3 } from './converted-v3.ts';
import { type ApiPath, capitalise, documentPath, groupTag, metaDefinition } from './operations.ts';
import { resourcePaths } from './resource-paths.ts';

/** A resource of a document, or what describes the document itself. */
export interface DocumentUnit {
  readonly isCustom: boolean;
  readonly paths: () => readonly ApiPath[];
}

/** One document of OpenAPI v3: `key` is its name in the index. */
export interface ApiDocument {
  readonly key: string;
  readonly types: readonly ResourceType[];
  readonly units: readonly DocumentUnit[];
  /** The document of another server, as it is. */
  readonly foreign?: JsonObject;
}

const everywhere = [
  {
    key: '.well-known/openid-configuration',
    about: {
      tag: 'WellKnown',
      id: 'getServiceAccountIssuerOpenIDConfiguration',
      schema: 'string',
      media: 'application/json',
    },
  },
  { key: 'api', about: { tag: 'core', id: 'getCoreAPIVersions', schema: metaDefinition('APIVersions') } },
  { key: 'apis', about: { tag: 'apis', id: 'getAPIVersions', schema: metaDefinition('APIGroupList') } },
  {
    key: 'openid/v1/jwks',
    about: {
      tag: 'openid',
      id: 'getServiceAccountIssuerOpenIDKeyset',
      schema: 'string',
      media: 'application/jwk-set+json',
    },
  },
  {
    key: 'version',
    about: {
      tag: 'version',
      id: 'getCodeVersion',
      schema: 'io.k8s.apimachinery.pkg.version.Info',
      media: 'application/json',
    },
  },
];

function ownUnit(...about: Parameters<typeof documentPath>): DocumentUnit {
  return { isCustom: false, paths: () => [documentPath(...about)] };
}

function groupDocument({ name }: ApiGroup): ApiDocument {
  const id = `get${capitalise(groupTag(name))}APIGroup`;
  const about = { tag: groupTag(name), id, schema: metaDefinition('APIGroup') };
  return { key: `apis/${name}`, types: [], units: [ownUnit(`/apis/${name}/`, about)] };
}

function versionDocument({ group, version, types }: GroupVersion): ApiDocument {
  const key = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  const isCustom = types.every((type) => type.isCustom);
  const tag = `${groupTag(group)}_${version}`;
  const id = `get${capitalise(groupTag(group))}${capitalise(version)}APIResources`;
  const own = ownUnit(`/${key}/`, { tag, id, schema: metaDefinition('APIResourceList') });
  const units = types.map((type) => ({ isCustom: type.isCustom, paths: () => resourcePaths(type) }));
  return { key, types, units: isCustom ? units : [own, ...units] };
}

/** The document of another server; made of its OpenAPI 2 where it has no OpenAPI 3. */
function foreignDocument({ group, version, extension }: GroupVersion): ApiDocument[] {
  const key = `apis/${group}/${version}`;
  const older = extension?.openApiV2;
  const foreign = extension?.openApiV3 ?? (older === undefined ? undefined : convertToV3(older, `/${key}`));
  return foreign === undefined ? [] : [{ key, types: [], units: [], foreign }];
}

/** Every document that a server with `groups` has, in the order of the index. */
export function apiDocuments(groups: readonly ApiGroup[]): ApiDocument[] {
  const fixed = everywhere.map(({ key, about }) => ({ key, types: [], units: [ownUnit(`/${key}/`, about)] }));
  const isBuiltin = ({ name, versions }: ApiGroup): boolean =>
    name !== '' && versions.some(({ types }) => types.some((type) => !type.isCustom));
  const all = [
    ...fixed,
    ...groups.filter(isBuiltin).map(groupDocument),
    ...groups.flatMap(({ versions }) => versions.filter(({ types }) => types.length > 0).map(versionDocument)),
    ...groups.flatMap(({ versions }) => versions.flatMap(foreignDocument)),
  ];
  return all.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
