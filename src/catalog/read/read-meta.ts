import { isJsonObject, type JsonObject, type JsonValue, TerminalError } from '../../base/index.ts';
import type { Meta, MetaPlace } from '../meta.ts';
import { canonicalJson } from '../write/canonical.ts';

const yamlPrefix = 'error unmarshaling JSON: while decoding JSON: ';

/** Of a document in a message. */
const maxShownCharacters = 2_000;

function refuse(message: string): never {
  throw new TerminalError('InvalidMeta', message);
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'number';
}

function shown(text: string): string {
  return text.length <= maxShownCharacters ? text : `${text.slice(0, maxShownCharacters)}…`;
}

/** One form for all letters that are the same but for their case, as Go folds them: one character becomes one. */
function fold(key: string): string {
  if (/^[a-z]*$/.test(key)) return key;
  return Array.from(key, (character) => {
    const upper = character.toUpperCase();
    const lower = (upper.length === character.length ? upper : character).toLowerCase();
    return lower.length === character.length ? lower : character;
  }).join('');
}

/** Where Go's decoder stops, which expects an object. */
function notAnObject(value: JsonValue): never {
  const text = shown(canonicalJson(value));
  const offset = Array.isArray(value) ? 1 : text.length;
  const what = `json: cannot unmarshal ${kindOf(value)} into Go value of type map[string]interface {}`;
  return refuse(
    `${yamlPrefix}${what} at offset ${offset} (indicated by <==)\n ${text.slice(0, offset)} <== ${text.slice(offset)}`,
  );
}

/** The keys of an object by their folded form. */
function foldedKeys(value: JsonObject, prefix: string): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  const twice = new Map<string, string[]>();
  for (const key of Object.keys(value)) {
    const folded = fold(key);
    const first = keys.get(folded);
    if (first === undefined) keys.set(folded, key);
    else twice.set(folded, [...(twice.get(folded) ?? [first]), key]);
  }
  if (twice.size === 0) return keys;
  const texts = Array.from(
    twice,
    ([folded, found]) => `duplicate keys for key "${folded}": [${found.sort().join(' ')}]`,
  );
  return refuse(shown(`${prefix}${texts.length === 1 ? texts[0] : `[${texts.sort().join(', ')}]`}`));
}

function nameAt(
  value: JsonObject,
  { key, name, prefix }: { key: string | undefined; name: string; prefix: string },
): string {
  const found = key === undefined ? undefined : value[key];
  if (found === undefined) return '';
  if (typeof found === 'string') return found;
  const what = `expected value for key "${name}" to be a string, got ${kindOf(found)}: ${canonicalJson(found)}`;
  return refuse(shown(`${prefix}${what}`));
}

/** A document as a catalog has it.
 *  @throws TerminalError InvalidMeta
 *  @see docs/spec/catalogs.md#the-meta-blob */
export function readMeta(value: JsonValue, syntax: 'json' | 'yaml', place: MetaPlace): Meta {
  if (!isJsonObject(value)) return notAnObject(value);
  const prefix = syntax === 'yaml' ? yamlPrefix : '';
  const keys = foldedKeys(value, prefix);
  const at = (name: string): string => nameAt(value, { key: keys.get(name), name, prefix });
  const meta = { schema: at('schema'), package: at('package'), name: at('name'), value, place };
  if (meta.schema === '') return refuse(`object '${shown(canonicalJson(value))}\n' is missing root schema field`);
  return meta;
}
