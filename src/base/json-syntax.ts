const eof = 'unexpected end of JSON input';
const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

/** What a JSON text has wrong, and where. */
export interface JsonProblem {
  readonly text: string;
  /** Bytes up to and including the wrong one, as Go counts. */
  readonly offset: number;
}

class SyntaxProblem extends Error {
  readonly offset: number;

  constructor(text: string, offset: number) {
    super(text);
    this.offset = offset;
  }
}

/** A byte as Go quotes a character. */
function quoted(byte: number): string {
  if (byte === 0x27) return String.raw`'\''`;
  if (byte === 0x22) return `'"'`;
  const text = JSON.stringify(String.fromCharCode(byte)).slice(1, -1);
  return byte < 0x20 && text.startsWith('\\u') ? `'\\x${byte.toString(16).padStart(2, '0')}'` : `'${text}'`;
}

type State = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'next';

/** Follows a JSON text to the first byte that may not stand where it stands. Not recursive. */
class SyntaxScan {
  readonly #bytes: Buffer;
  readonly #open: ('{' | '[')[] = [];
  #at = 0;
  #state: State = 'value';

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  run(): void {
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.#bytes.length) break;
      this.#step(this.#character());
    }
    if (this.#state !== 'next' || this.#open.length > 0) throw new SyntaxProblem(eof, this.#bytes.length);
  }

  #step(character: string): void {
    switch (this.#state) {
      case 'value':
        return this.#value(character);
      case 'value or end':
        return character === ']' ? this.#close() : this.#value(character);
      case 'key':
        return this.#key(character);
      case 'key or end':
        return character === '}' ? this.#close() : this.#key(character);
      case 'colon':
        return this.#colon(character);
      case 'next':
        return this.#next(character);
    }
  }

  #key(character: string): void {
    if (character !== '"') throw this.#unexpected('looking for beginning of object key string');
    this.#string();
    this.#state = 'colon';
  }

  #colon(character: string): void {
    if (character !== ':') throw this.#unexpected('after object key');
    this.#at += 1;
    this.#state = 'value';
  }

  #next(character: string): void {
    const top = this.#open.at(-1);
    if (top === undefined) throw this.#unexpected('after top-level value');
    if (character === (top === '{' ? '}' : ']')) return this.#close();
    if (character !== ',') throw this.#unexpected(top === '{' ? 'after object key:value pair' : 'after array element');
    this.#at += 1;
    this.#state = top === '{' ? 'key' : 'value';
    return undefined;
  }

  #close(): void {
    this.#open.pop();
    this.#at += 1;
    this.#state = 'next';
  }

  #value(character: string): void {
    if (character === '{' || character === '[') {
      this.#open.push(character);
      this.#at += 1;
      this.#state = character === '{' ? 'key or end' : 'value or end';
      return;
    }
    if (character === '"') this.#string();
    else if (/[-\d]/.test(character)) this.#number();
    else if (Object.hasOwn(literals, character)) this.#literal(literals[character] ?? '');
    else throw this.#unexpected('looking for beginning of value');
    this.#state = 'next';
  }

  #literal(word: string): void {
    this.#at += 1;
    for (const expected of word.slice(1)) this.#take(expected, `in literal ${word} (expecting '${expected}')`);
  }

  #string(): void {
    this.#at += 1;
    for (let character = this.#required(); character !== '"'; character = this.#required()) {
      if (character < ' ') throw this.#unexpected('in string literal');
      this.#at += 1;
      if (character === '\\') this.#escape();
    }
    this.#at += 1;
  }

  #escape(): void {
    const isUnicode = this.#required() === 'u';
    this.#take(/["\\/bfnrtu]/, 'in string escape code');
    for (let digit = 0; isUnicode && digit < 4; digit += 1) {
      this.#take(/[\da-fA-F]/, String.raw`in \u hexadecimal character escape`);
    }
  }

  #number(): void {
    if (this.#character() === '-') this.#at += 1;
    const first = this.#required();
    this.#take(/\d/, 'in numeric literal');
    if (first !== '0') this.#digits();
    if (this.#character() === '.') {
      this.#at += 1;
      this.#take(/\d/, 'after decimal point in numeric literal');
      this.#digits();
    }
    if (!/[eE]/.test(this.#character())) return;
    this.#at += 1;
    if (/[-+]/.test(this.#character())) this.#at += 1;
    this.#take(/\d/, 'in exponent of numeric literal');
    this.#digits();
  }

  #digits(): void {
    while (/\d/.test(this.#character())) this.#at += 1;
  }

  #take(expected: RegExp | string, context: string): void {
    const character = this.#required();
    const isExpected = typeof expected === 'string' ? character === expected : expected.test(character);
    if (!isExpected) throw this.#unexpected(context);
    this.#at += 1;
  }

  #required(): string {
    if (this.#at >= this.#bytes.length) throw new SyntaxProblem(eof, this.#bytes.length);
    return this.#character();
  }

  #character(): string {
    const byte = this.#bytes[this.#at];
    return byte === undefined ? '' : String.fromCharCode(byte);
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#character())) this.#at += 1;
  }

  #unexpected(context: string): SyntaxProblem {
    return new SyntaxProblem(`invalid character ${quoted(this.#bytes[this.#at] ?? 0)} ${context}`, this.#at + 1);
  }
}

/** Why a text is not JSON, with the message of Go's scanner; undefined if it is. For use after JSON.parse has refused it. */
export function jsonSyntaxProblem(bytes: Buffer): JsonProblem | undefined {
  try {
    new SyntaxScan(bytes).run();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof SyntaxProblem) return { text: thrown.message, offset: thrown.offset };
    throw thrown;
  }
}
