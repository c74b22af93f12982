/** Writes `apiserver/schema/generated/builtin-schemas.json`: the facts about the built-in kinds that a server needs (fields, types, formats,
 *  required, list types, merge keys), without any prose, from the OpenAPI v3 documents of a Kubernetes source tree.
 *
 *  usage: node scripts/generate-builtin-schemas.ts <folder of the Go module k8s.io/kubernetes> */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/base/index.ts';

const documents = [
  'api__v1',
  'apis__admissionregistration.k8s.io__v1',
  'apis__apiextensions.k8s.io__v1',
  'apis__apiregistration.k8s.io__v1',
  'apis__apps__v1',
  'apis__authentication.k8s.io__v1',
  'apis__authorization.k8s.io__v1',
  'apis__autoscaling__v1',
  'apis__autoscaling__v2',
  'apis__batch__v1',
  'apis__certificates.k8s.io__v1',
  'apis__coordination.k8s.io__v1',
  'apis__discovery.k8s.io__v1',
  'apis__events.k8s.io__v1',
  'apis__flowcontrol.apiserver.k8s.io__v1',
  'apis__networking.k8s.io__v1',
  'apis__node.k8s.io__v1',
  'apis__policy__v1',
  'apis__rbac.authorization.k8s.io__v1',
  'apis__scheduling.k8s.io__v1',
  'apis__storage.k8s.io__v1',
];

const keptKeys = [
  'type',
  'format',
  'required',
  'enum',
  'uniqueItems',
  'nullable',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
];

function objectAt(parent: JsonObject, key: string): JsonObject | undefined {
  const value = parent[key];
  return isJsonObject(value) ? value : undefined;
}

function textAt(parent: JsonObject, key: string): string {
  const value = parent[key];
  return typeof value === 'string' ? value : '';
}

/** `{"$ref": "#/components/schemas/a.b"}`, alone or as the only member of `allOf` → `a.b`. */
function referenceOf(node: JsonObject): string | undefined {
  const inner = Array.isArray(node['allOf']) ? node['allOf'][0] : node;
  const ref = isJsonObject(inner) ? inner['$ref'] : undefined;
  return typeof ref === 'string' ? ref.replace('#/components/schemas/', '') : undefined;
}

/** Defaults that only say "the Go field is not a pointer" are no facts about the API. */
function isRealDefault(value: JsonValue | undefined): boolean {
  const isEmpty = isJsonObject(value) && Object.keys(value).length === 0;
  return value !== undefined && value !== '' && value !== 0 && value !== false && !isEmpty;
}

/** A node in short form: `string`, `integer:int32`, the name of a definition, or an object with the keys of Schema. */
function compact(node: JsonObject): JsonValue {
  const short: JsonObject = {};
  const ref = referenceOf(node);
  if (ref !== undefined) short['$ref'] = ref;
  for (const key of keptKeys) if (node[key] !== undefined) short[key] = node[key];
  if (isRealDefault(node['default'])) short['default'] = node['default'];
  if (Array.isArray(node['oneOf'])) delete short['type'];
  if (node['format'] === 'int-or-string') short['x-kubernetes-int-or-string'] = true;
  const items = objectAt(node, 'items');
  if (items !== undefined) short['items'] = compact(items);
  const values = objectAt(node, 'additionalProperties');
  if (values !== undefined) short['additionalProperties'] = compact(values);
  const properties = objectAt(node, 'properties');
  if (properties !== undefined) short['properties'] = compactAll(properties);
  return abbreviate(short);
}

function abbreviate(node: JsonObject): JsonValue {
  const keys = Object.keys(node).join();
  if (keys === '$ref') return node['$ref'] ?? null;
  if (keys === 'type') return node['type'] ?? null;
  if (keys === 'type,format') return `${textAt(node, 'type')}:${textAt(node, 'format')}`;
  return node;
}

function compactAll(nodes: JsonObject): JsonObject {
  const entries = Object.entries(nodes).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
  return Object.fromEntries(entries.map(([name, node]) => [name, compact(node)]));
}

interface Facts {
  readonly kinds: Map<string, string>;
  readonly definitions: Map<string, JsonObject>;
}

function addKinds(name: string, node: JsonObject, kinds: Map<string, string>): void {
  const all = node['x-kubernetes-group-version-kind'];
  for (const gvk of Array.isArray(all) ? all : []) {
    if (!isJsonObject(gvk)) continue;
    kinds.set([textAt(gvk, 'group'), textAt(gvk, 'version'), textAt(gvk, 'kind')].join('/'), name);
  }
}

function addDocument(path: string, facts: Facts): void {
  const document = JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
  const schemas = objectAt(objectAt(document, 'components') ?? {}, 'schemas') ?? {};
  for (const [name, node] of Object.entries(schemas)) {
    if (!isJsonObject(node)) continue;
    const isOption = name.endsWith('.DeleteOptions') || name.endsWith('.WatchEvent');
    if (!isOption) addKinds(name, node, facts.kinds);
    const short = compact(node);
    facts.definitions.set(name, isJsonObject(short) ? short : expand(short));
  }
}

function expand(short: JsonValue): JsonObject {
  const [type = '', format] = typeof short === 'string' ? short.split(':') : [];
  return { type, ...(format === undefined ? {} : { format }) };
}

function sorted<V extends JsonValue>(map: Map<string, V>): JsonObject {
  return Object.fromEntries([...map].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function main(moduleFolder: string): void {
  const facts: Facts = { kinds: new Map(), definitions: new Map() };
  for (const name of documents) {
    addDocument(join(moduleFolder, 'api', 'openapi-spec', 'v3', `${name}_openapi.json`), facts);
  }
  const output = {
    $generated: 'by scripts/generate-builtin-schemas.ts from the OpenAPI v3 documents of k8s.io/kubernetes v1.33.4',
    kinds: sorted(facts.kinds),
    definitions: sorted(facts.definitions),
  };
  const target = new URL('../apiserver/schema/generated/builtin-schemas.json', import.meta.url);
  const lines = JSON.stringify(output).replaceAll(/("(?:io\.k8s|kinds|definitions)[^"]*":\{)/g, '\n$1');
  writeFileSync(target, `${lines}\n`);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: generate-builtin-schemas.ts <folder of k8s.io/kubernetes>');
main(folder);
