import { isJsonObject, type JsonObject, type JsonValue, parseYamlDocuments, TerminalError } from '../base/index.ts';
import type { RegistryMirror } from './registry-mirrors.ts';

const hostLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const host = String.raw`(?:${hostLabel}(?:\.${hostLabel})*|\[[a-fA-F0-9:]+\])(?::[0-9]{1,5})?`;
const path = String.raw`(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*`;
const mirrorPattern = new RegExp(`^${host}${path}$`);
const wildcardPattern = new RegExp(String.raw`^\*(?:\.${hostLabel})+$`);

/** Lists of mirrors by field, and the kind of object that has them in its `spec`. */
const lists = [
  { field: 'imageDigestMirrors', kind: 'ImageDigestMirrorSet', appliesTo: 'digest' },
  { field: 'imageTagMirrors', kind: 'ImageTagMirrorSet', appliesTo: 'tag' },
] as const;
type MirrorList = (typeof lists)[number];
const objectFields: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];
const objectApiVersion = 'config.openshift.io/v1';

function refuse(where: string, problem: string): never {
  throw new TerminalError('InvalidRegistryConfig', `${where}: ${problem}`);
}

function show(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function assertFields(where: string, object: JsonObject, allowed: readonly string[]): void {
  const unknown = Object.keys(object).find((key) => !allowed.includes(key));
  if (unknown !== undefined) refuse(where, `unknown field "${unknown}", expected ${allowed.join(', ')}`);
}

function asObject(where: string, value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : refuse(where, `expected an object, found ${show(value)}`);
}

function asList(where: string, value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : refuse(where, `expected a list, found ${show(value)}`);
}

function withoutHubAlias(name: string): string {
  return name.replace(/^index\.docker\.io(?=\/|$)/, 'docker.io');
}

function parseSource(where: string, value: JsonValue | undefined): string {
  if (typeof value === 'string' && (mirrorPattern.test(value) || wildcardPattern.test(value)))
    return withoutHubAlias(value);
  return refuse(
    where,
    `expected a registry, perhaps with a path, such as quay.io/team or *.example.com, without scheme, tag or digest; found ${show(value)}`,
  );
}

function parseMirrorName(where: string, value: JsonValue): string {
  if (typeof value === 'string' && mirrorPattern.test(value)) return withoutHubAlias(value);
  return refuse(
    where,
    `expected a registry, perhaps with a path, such as mirror.example.com/team, without scheme, tag or digest; found ${show(value)}`,
  );
}

function parsePolicy(where: string, value: JsonValue | undefined): boolean {
  if (value === undefined || value === '' || value === 'AllowContactingSource') return true;
  if (value === 'NeverContactSource') return false;
  return refuse(where, `expected AllowContactingSource or NeverContactSource, found ${show(value)}`);
}

function parseEntry(where: string, value: JsonValue, appliesTo: RegistryMirror['appliesTo']): RegistryMirror {
  const entry = asObject(where, value);
  assertFields(where, entry, ['source', 'mirrors', 'mirrorSourcePolicy']);
  return {
    appliesTo,
    source: parseSource(`${where}.source`, entry['source']),
    mirrors: asList(`${where}.mirrors`, entry['mirrors']).map((mirror, index) =>
      parseMirrorName(`${where}.mirrors[${index}]`, mirror),
    ),
    mayContactSource: parsePolicy(`${where}.mirrorSourcePolicy`, entry['mirrorSourcePolicy']),
  };
}

function parseList(where: string, holder: JsonObject, list: MirrorList): readonly RegistryMirror[] {
  const name = `${where}${list.field}`;
  return asList(name, holder[list.field]).map((item, index) => parseEntry(`${name}[${index}]`, item, list.appliesTo));
}

function parseObject(where: string, object: JsonObject): readonly RegistryMirror[] {
  const { apiVersion, kind, items } = object;
  if (typeof kind === 'string' && kind.endsWith('List')) {
    return asList(`${where}, items`, items).flatMap((item, index) =>
      parseObject(`${where}, items[${index}]`, asObject(`${where}, items[${index}]`, item)),
    );
  }
  const list = lists.find((known) => known.kind === kind);
  if (list === undefined || apiVersion !== objectApiVersion) {
    const expected = lists.map((known) => known.kind).join(' or ');
    return refuse(where, `expected ${expected} of ${objectApiVersion}, found ${show(kind)} of ${show(apiVersion)}`);
  }
  assertFields(where, object, objectFields);
  const spec = asObject(`${where}, spec`, object['spec']);
  assertFields(`${where}, spec`, spec, [list.field]);
  return parseList(`${where}, spec.`, spec, list);
}

function parseDocument(where: string, document: JsonValue): readonly RegistryMirror[] {
  if (document === null) return [];
  const object = asObject(where, document);
  if (Object.hasOwn(object, 'kind') || Object.hasOwn(object, 'apiVersion')) return parseObject(where, object);
  assertFields(
    where,
    object,
    lists.map(({ field }) => field),
  );
  return lists.flatMap((list) => parseList(`${where}, `, object, list));
}

/** Several entries for one source are one: their mirrors in the order of the file, and the stricter policy. */
function merge(entries: readonly RegistryMirror[]): RegistryMirror[] {
  const merged = new Map<string, RegistryMirror>();
  for (const entry of entries) {
    const key = `${entry.appliesTo} ${entry.source}`;
    const before = merged.get(key);
    const mirrors = [...new Set([...(before?.mirrors ?? []), ...entry.mirrors])];
    const mayContactSource = entry.mayContactSource && before?.mayContactSource !== false;
    merged.set(key, { ...entry, mirrors, mayContactSource });
  }
  return [...merged.values()];
}

/** Reads a registry configuration: documents with `imageDigestMirrors` and `imageTagMirrors`, or whole objects ImageDigestMirrorSet and
 *  ImageTagMirrorSet, one or many. `what` names the file in messages.
 *  @throws TerminalError InvalidRegistryConfig (naming document and field), InvalidYaml (with line and column) */
export function parseRegistryConfig(what: string, text: string): readonly RegistryMirror[] {
  const documents = parseYamlDocuments(what, text);
  const named = (index: number): string => (documents.length === 1 ? what : `${what}, document ${index + 1}`);
  return merge(documents.flatMap((document, index) => parseDocument(named(index), document)));
}
