type Token =
  | { readonly kind: 'star' | 'any' }
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'class'; readonly isNegated: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** A pattern for one name, in the notation of Go's `filepath.Match`: `*`, `?`, `[a-z]`, `[^a-z]`, `\` in front of a character. */
export type NamePattern = readonly Token[];

class Reader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#characters = Array.from(text);
  }

  /** Undefined at the end. */
  take(): string | undefined {
    return this.#characters[this.#at++];
  }

  takeIf(character: string): boolean {
    if (this.#characters[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}

/** A character of a class; undefined when none may stand there. */
function classMember(reader: Reader): string | undefined {
  const character = reader.take();
  if (character === '\\') return reader.take();
  return character === '-' || character === ']' ? undefined : character;
}

function readClass(reader: Reader): Token | undefined {
  const isNegated = reader.takeIf('^');
  const ranges: [string, string][] = [];
  do {
    const low = classMember(reader);
    const high = reader.takeIf('-') ? classMember(reader) : low;
    if (low === undefined || high === undefined) return undefined;
    ranges.push([low, high]);
  } while (!reader.takeIf(']'));
  return { kind: 'class', isNegated, ranges };
}

function readToken(character: string, reader: Reader): Token | undefined {
  if (character === '*') return { kind: 'star' };
  if (character === '?') return { kind: 'any' };
  if (character === '[') return readClass(reader);
  const literal = character === '\\' ? reader.take() : character;
  return literal === undefined ? undefined : { kind: 'character', character: literal };
}

/** Undefined when the text is no pattern: then nothing matches it. */
export function parseNamePattern(text: string): NamePattern | undefined {
  const reader = new Reader(text);
  const tokens: Token[] = [];
  for (let character = reader.take(); character !== undefined; character = reader.take()) {
    const token = readToken(character, reader);
    if (token === undefined) return undefined;
    if (token.kind !== 'star' || tokens.at(-1)?.kind !== 'star') tokens.push(token);
  }
  return tokens;
}

function fits(token: Token, character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  switch (token.kind) {
    case 'star':
      return false;
    case 'any':
      return true;
    case 'character':
      return token.character === character;
    case 'class':
      return (
        token.isNegated !==
        token.ranges.some(([low, high]) => (low.codePointAt(0) ?? 0) <= code && code <= (high.codePointAt(0) ?? 0))
      );
  }
}

/** Whether the pattern fits items from the first to the last; a star stands for any number of them, and the first fit is enough, so that
 *  it never takes longer than both lengths multiplied. */
export function matchesSequence<T, P>(
  pattern: readonly P[],
  items: readonly T[],
  rules: { readonly isStar: (part: P) => boolean; readonly fits: (part: P, item: T) => boolean },
): boolean {
  let [part, item, star, retry] = [0, 0, -1, 0];
  while (item < items.length) {
    const current = pattern[part];
    if (current !== undefined && rules.isStar(current)) {
      [star, retry] = [part, item];
      part += 1;
    } else if (current !== undefined && rules.fits(current, items[item] as T)) {
      [part, item] = [part + 1, item + 1];
    } else if (star >= 0) {
      retry += 1;
      [part, item] = [star + 1, retry];
    } else {
      return false;
    }
  }
  return pattern.slice(part).every(rules.isStar);
}

/** Whether the whole name fits. */
export function matchesName(pattern: NamePattern, name: string): boolean {
  return matchesSequence(pattern, Array.from(name), { isStar: (token) => token.kind === 'star', fits });
}
