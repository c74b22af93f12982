import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue, objectAt } from '../../../src/base/index.ts';
import { isWellFormedV2 } from './well-formed-v2.ts';

const prefix = '#/definitions/';
const kindsKey = 'x-kubernetes-group-version-kind';

/** A copy in which `rename` gives the name of each definition that is referred to. */
function withReferences(value: JsonValue, rename: (name: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withReferences(item, rename));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => {
    const isReference = key === '$ref' && typeof member === 'string' && member.startsWith(prefix);
    if (isReference) return [key, prefix + rename(member.slice(prefix.length))];
    return [key, withReferences(member ?? null, rename)];
  });
  return Object.fromEntries(entries);
}

/** The definitions that the paths need, directly or by way of others, of which there may be very many in a row. */
function neededDefinitions(paths: JsonObject, definitions: JsonObject): Map<string, JsonValue> {
  const needed = new Map<string, JsonValue>();
  const unread: JsonValue[] = [paths];
  for (let value = unread.pop(); value !== undefined; value = unread.pop()) {
    withReferences(value, (name) => {
      const found = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
      if (found !== undefined && !needed.has(name)) {
        needed.set(name, found);
        unread.push(found);
      }
      return name;
    });
  }
  return needed;
}

/** The definition as that of kinds of its own group alone: clients look for definitions by kind. */
function withOwnKinds(definition: JsonValue, group: string): JsonValue {
  const kinds = isJsonObject(definition) ? definition[kindsKey] : undefined;
  if (!isJsonObject(definition) || !Array.isArray(kinds)) return definition;
  return { ...definition, [kindsKey]: kinds.filter((kind) => isJsonObject(kind) && kind['group'] === group) };
}

/** A name that is free, or has the same definition. */
function freeName(name: string, definition: JsonValue, taken: JsonObject): string {
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name}_v${count}`;
    const found = Object.hasOwn(taken, candidate) ? taken[candidate] : undefined;
    if (found === undefined || isJsonEqual(found, definition)) return candidate;
  }
}

/** `document` with the paths of a group and version out of the document of another server, and the definitions that they need. A definition of a
 *  name that is taken is renamed. What clients could not read is left out. */
export function mergeDocumentV2(
  document: JsonObject,
  extension: JsonObject,
  { group, version }: { readonly group: string; readonly version: string },
): JsonObject {
  const root = `/apis/${group}/${version}`;
  const own = Object.entries(objectAt(extension, 'paths') ?? {}).filter(([path]) => path.startsWith(`${root}/`));
  const paths: JsonObject = Object.fromEntries(own);
  const needed = neededDefinitions(paths, objectAt(extension, 'definitions') ?? {});
  const part = { paths, definitions: Object.fromEntries(needed) };
  if (!isWellFormedV2(part)) return document;
  const definitions = objectAt(document, 'definitions') ?? {};
  const names = new Map([...needed].map(([name, definition]) => [name, freeName(name, definition, definitions)]));
  const rename = (name: string): string => names.get(name) ?? name;
  const isNew = ([name]: readonly [string, JsonValue]): boolean => !Object.hasOwn(definitions, rename(name));
  const added = [...needed]
    .filter(isNew)
    .map(([name, definition]) => [rename(name), withOwnKinds(withReferences(definition, rename), group)] as const);
  const all = { ...objectAt(document, 'paths'), ...(withReferences(paths, rename) as JsonObject) };
  return {
    ...document,
    paths: Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))),
    definitions: { ...definitions, ...Object.fromEntries(added) },
  };
}

/** Paths or definitions, each as its JSON. */
interface DocumentTexts {
  readonly paths: Map<string, string>;
  readonly definitions: Map<string, string>;
}

/** The same with a document whose parts are JSON: only those whose names a definition of the other server has are parsed. Changes `texts`. */
export function mergeTexts(
  texts: DocumentTexts,
  extension: JsonObject,
  place: { readonly group: string; readonly version: string },
): void {
  const taken: JsonObject = {};
  for (const name of Object.keys(objectAt(extension, 'definitions') ?? {})) {
    let candidate = name;
    for (let count = 2; ; count += 1) {
      const text = texts.definitions.get(candidate);
      if (text === undefined) break;
      taken[candidate] = JSON.parse(text) as JsonValue;
      candidate = `${name}_v${count}`;
    }
  }
  const { paths, definitions } = mergeDocumentV2({ paths: {}, definitions: taken }, extension, place);
  for (const [path, item] of Object.entries(isJsonObject(paths) ? paths : {})) {
    texts.paths.set(path, JSON.stringify(item));
  }
  for (const [name, definition] of Object.entries(isJsonObject(definitions) ? definitions : {})) {
    if (!texts.definitions.has(name)) texts.definitions.set(name, JSON.stringify(definition));
  }
}
