import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Probe } from './probe.ts';

/** Where CustomResourceDefinitions are. */
export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** How the definition of a case departs from the usual one: namespaced Things in version v1. */
export interface DefinitionOptions {
  readonly schema?: object;
  /** Members of the one version. */
  readonly version?: object;
  /** Instead of the one version. */
  readonly versions?: readonly object[];
  /** Members of spec. */
  readonly spec?: object;
  readonly names?: object;
  readonly metadata?: object;
}

const usualNames = { plural: 'things', kind: 'Thing' };

/** A CustomResourceDefinition in the case's own group. */
export function definition(api: Probe, options: DefinitionOptions = {}): JsonObject {
  const names = { ...usualNames, ...options.names };
  const { schema } = options;
  const own = schema === undefined ? {} : { schema: { openAPIV3Schema: schema } };
  const version = { name: 'v1', served: true, storage: true, ...own, ...options.version };
  const spec = {
    group: api.group,
    scope: 'Namespaced',
    names,
    versions: options.versions ?? [version],
    ...options.spec,
  };
  const { group } = spec as { readonly group: string };
  const metadata = { name: `${names.plural}.${group}`, ...options.metadata };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata,
    spec,
  } as unknown as JsonObject;
}

/** Whether a CustomResourceDefinition has a condition that is True. */
export function isTrue(body: JsonValue, type: string): boolean {
  const status = isJsonObject(body) ? body['status'] : undefined;
  const conditions = isJsonObject(status) ? status['conditions'] : undefined;
  if (!Array.isArray(conditions)) return false;
  return conditions.some((item) => isJsonObject(item) && item['type'] === type && item['status'] === 'True');
}

/** A definition that is established, and where its objects are. */
export interface Established {
  /** Of the definition. */
  readonly path: string;
  /** Of the objects in the case's namespace (of all, where they have none), in version v1. */
  readonly things: string;
  /** The same in another version. */
  readonly thingsIn: (version: string) => string;
}

/** Creates a definition, unrecorded, and waits until its objects are served. */
export async function establish(api: Probe, options: DefinitionOptions = {}): Promise<Established> {
  const body = definition(api, options);
  const { name } = body['metadata'] as { readonly name: string };
  const path = `${definitionsPath}/${name}`;
  api.cleanUp(path);
  await api.setUp('POST', definitionsPath, { body });
  await api.eventually(path, (found) => isTrue(found, 'Established'));
  const { scope, names, versions } = body['spec'] as unknown as {
    readonly scope: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
  const where = scope === 'Namespaced' ? `namespaces/${api.namespace}/` : '';
  const thingsIn = (version: string): string => `/apis/${api.group}/${version}/${where}${names.plural}`;
  const things = thingsIn(versions[0]?.name ?? 'v1');
  await api.eventually(things, (found) => isJsonObject(found) && found['kind'] !== 'Status');
  return { path, things, thingsIn };
}

/** A Thing with a spec. */
export function thing(api: Probe, name: string, rest: object = {}): JsonObject {
  return { apiVersion: `${api.group}/v1`, kind: 'Thing', metadata: { name }, ...rest } as unknown as JsonObject;
}

/** A value as Go prints its own structs is no part of the interface. */
export function withoutGoStructs(body: JsonValue): JsonValue {
  const text = JSON.stringify(body);
  return JSON.parse(
    text.replaceAll(
      /Invalid value: (\[\])?(apiextensions\.\w+|map\[string\]interface \{\}|\[\]interface \{\})\{.*?\}: (?=only|must)/g,
      'Invalid value: …: ',
    ),
  ) as JsonValue;
}

/** Who owns what, in no order, and patched objects as messages show them left out: they hold versions and times. */
export function settled(body: JsonValue): JsonValue {
  const text = JSON.stringify(body)
    .replaceAll(/patch: Invalid value: .*?: (?=json|strict|parsing)/g, 'patch: …: ')
    .replaceAll(/"Invalid value: \\"\{.*?\}\\": /g, '"…: ');
  return byManager(JSON.parse(text) as JsonValue);
}

function byManager(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(byManager);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => {
    const inner = byManager(member ?? null);
    return [key, key === 'managedFields' && Array.isArray(inner) ? inner.sort(compareManagers) : inner] as const;
  });
  return Object.fromEntries(entries);
}

function compareManagers(a: JsonValue, b: JsonValue): number {
  const key = (entry: JsonValue): string => {
    const { manager, operation, subresource, apiVersion } = entry as JsonObject;
    return JSON.stringify([manager, operation, subresource, apiVersion]);
  };
  return key(a) < key(b) ? -1 : 1;
}

/** The same without managed fields. */
export function withoutManagers(body: JsonValue): JsonValue {
  const metadata = isJsonObject(body) ? body['metadata'] : undefined;
  if (!isJsonObject(body) || !isJsonObject(metadata)) return body;
  const { managedFields: _owners, ...rest } = metadata;
  return { ...body, metadata: rest };
}
