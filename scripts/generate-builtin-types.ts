/** `npm run generate:builtin`: writes what the embedded server knows of the built-in types, without any prose, from what a running real
 *  kube-apiserver publishes: `apiserver/schema/generated/builtin-schemas.json` (fields, types, formats, required, defaults, list types, merge
 *  keys) from its OpenAPI v3 documents, `apiserver/registry/generated/builtin-resources.json` (names, verbs, subresources) from its discovery. */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/base/index.ts';
import { Connection } from '../test/conformance/connection.ts';
import { findControlPlane, startControlPlane } from '../test/control-plane/index.ts';

const usage = `usage: npm run generate:builtin -- [--kubeconfig FILE]
  --kubeconfig FILE  a kube-apiserver that runs already, with nothing installed, instead of one of its own`;

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
  'x-kubernetes-unions',
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

/** Defaults that only mean "the Go field is not a pointer" are no facts about the API. */
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
  for (const key of ['items', 'additionalProperties']) {
    const child = objectAt(node, key);
    if (child !== undefined) short[key] = compact(child);
  }
  const properties = objectAt(node, 'properties');
  if (properties !== undefined) short['properties'] = compactAll(properties);
  return abbreviate({ ...short, ...zerosOf(properties) });
}

/** The places below an object where the Go value is never null, and the properties that have nothing but a type. */
function zerosOf(properties: JsonObject | undefined): JsonObject {
  const zeros = Object.entries(properties ?? {}).flatMap(([name, child]) => zeroPaths(name, child));
  const bare = Object.entries(properties ?? {}).filter(
    ([, child]) => isJsonObject(child) && child['$ref'] !== undefined,
  );
  return {
    ...(zeros.length === 0 ? {} : { 'x-zeros': zeros.join() }),
    ...(bare.length === 0 ? {} : { 'x-bare': bare.map(([name]) => name).join() }),
  };
}

/** Where below a property a default means that the Go value is never null: `name`, `items[]`, `map{}`. */
function zeroPaths(path: string, node: JsonValue | undefined): string[] {
  if (!isJsonObject(node)) return [];
  const own = node['default'] === undefined || isRealDefault(node['default']) ? [] : [path];
  const below = [...zeroPaths(`${path}[]`, node['items']), ...zeroPaths(`${path}{}`, node['additionalProperties'])];
  return [...own, ...below];
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
  /** Every group and version that knows options and watch events. */
  readonly optionVersions: Set<string>;
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

function addOptionVersions(node: JsonObject, versions: Set<string>): void {
  for (const gvk of objectsAt(node, 'x-kubernetes-group-version-kind')) {
    versions.add(`${textAt(gvk, 'group')}/${textAt(gvk, 'version')}`);
  }
}

function addDocument(document: JsonObject, facts: Facts): void {
  const schemas = objectAt(objectAt(document, 'components') ?? {}, 'schemas') ?? {};
  for (const [name, node] of Object.entries(schemas)) {
    if (!isJsonObject(node)) continue;
    const isOption = name.endsWith('.DeleteOptions') || name.endsWith('.WatchEvent');
    if (isOption) addOptionVersions(node, facts.optionVersions);
    else addKinds(name, node, facts.kinds);
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

async function getJson(kube: Connection, path: string): Promise<JsonObject> {
  const { status, body } = await kube.ask({ method: 'GET', path, headers: {} });
  if (status !== 200 || !isJsonObject(body)) throw new Error(`GET ${path}: ${status}, expected a JSON object`);
  return body;
}

function objectsAt(parent: JsonObject, key: string): JsonObject[] {
  const value = parent[key];
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

/** `v1`, then every version of every group, in the order of discovery. */
async function groupVersionsOf(kube: Connection): Promise<string[]> {
  const groups = objectsAt(await getJson(kube, '/apis'), 'groups');
  return ['v1', ...groups.flatMap((group) => objectsAt(group, 'versions').map((v) => textAt(v, 'groupVersion')))];
}

const folderOf = (groupVersion: string): string => (groupVersion === 'v1' ? 'api/v1' : `apis/${groupVersion}`);

async function schemasOf(kube: Connection, groupVersions: readonly string[]): Promise<JsonObject> {
  const facts: Facts = { optionVersions: new Set(), kinds: new Map(), definitions: new Map() };
  const roots = ['api', 'apis', 'apis/apps', 'version'];
  for (const path of [...groupVersions.toSorted().map(folderOf), ...roots]) {
    addDocument(await getJson(kube, `/openapi/v3/${path}`), facts);
  }
  const { optionVersions, kinds, definitions } = facts;
  return { optionVersions: [...optionVersions].sort(), kinds: sorted(kinds), definitions: sorted(definitions) };
}

/** The resources and subresources of each group version as in discovery. */
async function resourcesOf(kube: Connection, groupVersions: readonly string[]): Promise<JsonObject> {
  const result: JsonObject = {};
  for (const groupVersion of groupVersions) {
    result[groupVersion] = objectsAt(await getJson(kube, `/${folderOf(groupVersion)}`), 'resources');
  }
  return result;
}

async function writeGenerated(name: string, content: JsonObject, breaks: RegExp): Promise<void> {
  const target = new URL(`../apiserver/${name}`, import.meta.url);
  await writeFile(target, `${JSON.stringify(content).replaceAll(breaks, '\n$1')}\n`);
}

async function generate(kube: Connection): Promise<void> {
  const version = textAt(await getJson(kube, '/version'), 'gitVersion');
  const $generated = `by scripts/generate-builtin-types.ts from a running kube-apiserver ${version}`;
  const groupVersions = await groupVersionsOf(kube);
  const schemas = { $generated, ...(await schemasOf(kube, groupVersions)) };
  await writeGenerated('schema/generated/builtin-schemas.json', schemas, /("(?:io\.k8s|kinds|definitions)[^"]*":\{)/g);
  const resources = { $generated, resources: await resourcesOf(kube, groupVersions) };
  await writeGenerated('registry/generated/builtin-resources.json', resources, /("[^"]*v\d[^"]*":\[|\{"name")/g);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { kubeconfig: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help === true) return console.log(usage);
  if (values.kubeconfig !== undefined) {
    using kube = new Connection(await readFile(values.kubeconfig, 'utf8'));
    return await generate(kube);
  }
  const binaries = await findControlPlane({ mayBuild: true, report: console.log });
  if ('missing' in binaries) throw new Error(`there is no real kube-apiserver to ask: ${binaries.missing}`);
  await using plane = await startControlPlane(binaries, { controllers: false });
  using kube = new Connection(plane.kubeconfig);
  await generate(kube);
}

await main();
