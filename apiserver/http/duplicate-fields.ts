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

/** Paths (`spec.containers[0].name`) of the keys that stand twice in one object of a JSON text, each once, as met.
 *  The text must be valid JSON of bounded depth. */
export function findDuplicateFields(text: string): string[] {
  const found = new Set<string>();
  const levels: Level[] = [];
  const noteKey = (raw: string): void => {
    const level = levels.at(-1);
    if (level?.keys === undefined) return;
    level.key = JSON.parse(raw) as string;
    if (level.keys.has(level.key)) found.add(childPath(level));
    level.keys.add(level.key);
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const top = levels.at(-1);
    if (character === '"') {
      const end = skipString(text, at);
      if (top?.keys !== undefined && isKeyAt(text, end)) noteKey(text.slice(at, end));
      at = end - 1;
    } else if (character === '{') levels.push({ path: childPath(top), keys: new Set(), index: 0, key: '' });
    else if (character === '[') levels.push({ path: childPath(top), keys: undefined, index: 0, key: '' });
    else if (character === '}' || character === ']') levels.pop();
    else if (character === ',' && top !== undefined) top.index += 1;
  }
  return [...found];
}
