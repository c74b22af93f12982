import { loadBuiltinSchemas } from '../../../apiserver/schema/index.ts';
import { isJsonObject, type JsonObject, listOfTexts, objectAt, objectsAt, textAt } from '../../../src/base/index.ts';
import type { Schema } from '../../../src/schema/index.ts';
import type { Connection } from '../../conformance/connection.ts';
import { type Place, placesOf } from './places.ts';

/** A kind whose objects can be created. */
export interface CostlyKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Of a collection; `{namespace}` stands for the namespace. */
  readonly path: string;
  /** Every list and map of its objects; of a kind with a list or a map. */
  readonly places: readonly [Place, ...Place[]];
}

async function read(connection: Connection, path: string): Promise<JsonObject> {
  const { body } = await connection.ask({ method: 'GET', path, headers: {} });
  return isJsonObject(body) ? body : {};
}

/** Of custom kinds, by `apiVersion kind`, with the metadata of built-in ones. */
async function customSchemas(connection: Connection): Promise<ReadonlyMap<string, Schema>> {
  const metadata = loadBuiltinSchemas().kind('', 'v1', 'ConfigMap')?.properties?.['metadata'] ?? {};
  const found = new Map<string, Schema>();
  const definitions = await read(connection, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
  for (const { spec } of objectsAt(definitions, 'items')) {
    if (!isJsonObject(spec)) continue;
    for (const version of objectsAt(spec, 'versions')) {
      const schema: Schema = objectAt(version, 'schema', 'openAPIV3Schema') ?? {};
      const apiVersion = `${textAt(spec, 'group')}/${textAt(version, 'name')}`;
      const properties = { ...schema.properties, metadata };
      found.set(`${apiVersion} ${textAt(objectAt(spec, 'names'), 'kind')}`, { ...schema, properties });
    }
  }
  return found;
}

async function apiVersions(connection: Connection): Promise<readonly string[]> {
  const groups = objectsAt(await read(connection, '/apis'), 'groups');
  return ['v1', ...groups.map((group) => textAt(objectAt(group, 'preferredVersion'), 'groupVersion'))];
}

/** The schema of a kind, built-in or custom. */
type Schemas = (apiVersion: string, kind: string) => Schema;

async function schemasOf(connection: Connection): Promise<Schemas> {
  const custom = await customSchemas(connection);
  return (apiVersion, kind) => {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    return loadBuiltinSchemas().kind(group, version, kind) ?? custom.get(`${apiVersion} ${kind}`) ?? {};
  };
}

function kindOf(apiVersion: string, resource: JsonObject, schemas: Schemas): CostlyKind | undefined {
  const [name, kind] = [textAt(resource, 'name'), textAt(resource, 'kind')];
  if (name.includes('/') || !listOfTexts(resource, 'verbs').includes('create')) return undefined;
  const [first, ...others] = placesOf(schemas(apiVersion, kind));
  if (first === undefined) return undefined;
  const inNamespace = resource['namespaced'] === true ? '/namespaces/{namespace}' : '';
  return { apiVersion, kind, path: `${rootOf(apiVersion)}${inNamespace}/${name}`, places: [first, ...others] };
}

function rootOf(apiVersion: string): string {
  return apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
}

/** The kinds of a server, built-in and custom, of which objects can be created, in the version that it prefers. */
export async function kindsOf(connection: Connection): Promise<readonly CostlyKind[]> {
  const schemas = await schemasOf(connection);
  const kinds: CostlyKind[] = [];
  for (const apiVersion of await apiVersions(connection)) {
    for (const resource of objectsAt(await read(connection, rootOf(apiVersion)), 'resources')) {
      const kind = kindOf(apiVersion, resource, schemas);
      if (kind !== undefined) kinds.push(kind);
    }
  }
  return kinds;
}
