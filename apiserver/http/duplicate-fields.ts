import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { FirstPaths } from '../core/index.ts';

const quote = 0x22;
const backslash = 0x5c;

interface Level {
  readonly path: string;
  readonly keys: Set<string> | undefined;
  /** Keys that stand twice. */
  readonly repeated: Set<string>;
  index: number;
  key: string;
}

/** Of the paths that are compared, each of which may be as long as the text. */
const maxComparedCharacters = 16 * 1024 * 1024;

function childPath(level: Level | undefined): string {
  if (level === undefined) return '';
  if (level.keys === undefined) return `${level.path}[${level.index}]`;
  return level.path === '' ? level.key : `${level.path}.${level.key}`;
}

/** Index after the string that begins at `start`. */
function skipString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at + 1;
}

function isKeyAt(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text.charAt(at))) at += 1;
  return text.charAt(at) === ':';
}

/** Follows the objects and arrays of a JSON text. */
class FieldScan {
  /** Paths of keys that stand twice in one object. */
  readonly found = new FirstPaths();
  /** Those, and the paths that are looked for, as met. */
  readonly met = new Set<string>();
  #left = maxComparedCharacters;
  readonly #levels: Level[] = [];
  readonly #requested: ReadonlySet<string>;

  constructor(requested: ReadonlySet<string>) {
    this.#requested = requested;
  }

  /** A string from `start` to `end`; a key of the innermost object when a colon follows. */
  string(text: string, start: number, end: number): void {
    const level = this.#levels.at(-1);
    if (level?.keys === undefined || !isKeyAt(text, end)) return;
    level.key = JSON.parse(text.slice(start, end)) as string;
    const isRepeated = level.keys.has(level.key);
    if (isRepeated && !level.repeated.has(level.key)) {
      level.repeated.add(level.key);
      this.found.add(childPath(level));
    }
    if (this.#requested.size > 0 && this.#left > 0) this.#meet(childPath(level), isRepeated);
    level.keys.add(level.key);
  }

  #meet(path: string, isRepeated: boolean): void {
    this.#left -= path.length;
    if (isRepeated || this.#requested.has(path)) this.met.add(path);
  }

  mark(character: string): void {
    const top = this.#levels.at(-1);
    switch (character) {
      case '{':
        this.#levels.push({ path: childPath(top), keys: new Set(), repeated: new Set(), index: 0, key: '' });
        break;
      case '[':
        this.#levels.push({ path: childPath(top), keys: undefined, repeated: new Set(), index: 0, key: '' });
        break;
      case ',':
        if (top !== undefined) top.index += 1;
        break;
      default:
        this.#levels.pop();
    }
  }
}

/** Paths (`spec.containers[0].name`) of the keys that stand twice in one object of a JSON text, each once, as met; of very many the first.
 *  `value` is what the text holds, of bounded depth: a text that is written as JSON.stringify writes it has no such keys. */
export function findDuplicateFields(text: string, value: JsonValue): string[] {
  if (JSON.stringify(value) === text.trimEnd()) return [];
  return [...new Set(scanFields(text, new Set()).found.paths)];
}

/** The paths in the order in which a JSON text has them, as far as it is searched for them: a duplicate where its key stands the second time. */
export function inDocumentOrder(text: string, paths: readonly string[]): string[] {
  const { met } = scanFields(text, new Set(paths));
  return [...met, ...paths.filter((path) => !met.has(path))];
}

function scanFields(text: string, requested: ReadonlySet<string>): FieldScan {
  const scan = new FieldScan(requested);
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = skipString(text, at);
      scan.string(text, at, end);
      at = end - 1;
    } else if ('{[]},'.includes(character)) scan.mark(character);
  }
  return scan;
}

/** Reads a JSON text as Go does where a key stands twice: the later value wins, but objects are merged. The text must be valid JSON of
 *  bounded depth; the value is to be checked again, for there is more in it than in that of JSON.parse. */
export function parseMerging(text: string): JsonValue {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let at = 0;
  const value = (before: JsonValue | undefined): JsonValue => {
    const token = tokens[at++] ?? 'null';
    if (token === '{') return object(isJsonObject(before) ? before : {});
    return token === '[' ? list() : (JSON.parse(token) as JsonValue);
  };
  const object = (fields: JsonObject): JsonObject => {
    while (tokens[at] !== '}') {
      const key = JSON.parse(tokens[at] ?? '""') as string;
      at += 2;
      const member = value(Object.hasOwn(fields, key) ? fields[key] : undefined);
      Object.defineProperty(fields, key, { value: member, writable: true, enumerable: true, configurable: true });
      if (tokens[at] === ',') at += 1;
    }
    at += 1;
    return fields;
  };
  const list = (): JsonValue[] => {
    const items: JsonValue[] = [];
    while (tokens[at] !== ']') {
      items.push(value(undefined));
      if (tokens[at] === ',') at += 1;
    }
    at += 1;
    return items;
  };
  return value(undefined);
}
