const quote = 0x22;
const backslash = 0x5c;

interface Level {
  readonly path: string;
  readonly keys: Set<string> | undefined;
  index: number;
  key: string;
}

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
  readonly found = new Set<string>();
  readonly #levels: Level[] = [];

  /** A string from `start` to `end`; a key of the innermost object when a colon follows. */
  string(text: string, start: number, end: number): void {
    const level = this.#levels.at(-1);
    if (level?.keys === undefined || !isKeyAt(text, end)) return;
    level.key = JSON.parse(text.slice(start, end)) as string;
    if (level.keys.has(level.key)) this.found.add(childPath(level));
    level.keys.add(level.key);
  }

  mark(character: string): void {
    const top = this.#levels.at(-1);
    switch (character) {
      case '{':
        this.#levels.push({ path: childPath(top), keys: new Set(), index: 0, key: '' });
        break;
      case '[':
        this.#levels.push({ path: childPath(top), keys: undefined, index: 0, key: '' });
        break;
      case ',':
        if (top !== undefined) top.index += 1;
        break;
      default:
        this.#levels.pop();
    }
  }
}

/** Paths (`spec.containers[0].name`) of the keys that stand twice in one object of a JSON text, each once, as met.
 *  The text must be valid JSON of bounded depth. */
export function findDuplicateFields(text: string): string[] {
  const scan = new FieldScan();
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = skipString(text, at);
      scan.string(text, at, end);
      at = end - 1;
    } else if ('{[]},'.includes(character)) scan.mark(character);
  }
  return [...scan.found];
}
