/** Classes of Unicode have hundreds of ranges, which are copied for each repetition. */
const perUnicodeClass = 64;
/** Characters of a class that count as much as an instruction. */
const charactersPerInstruction = 8;
/** Runes of a range without case that are read in the time of an instruction. */
const runesPerInstruction = 32;
const maxRune = 0x10ffff;

const unicodeClass = /\\[pP](?:\{[^}]*\}|.)?/suy;
const runeEscape = /\\x(?:\{(?<braced>[0-9a-fA-F]*)\}|[0-9a-fA-F]{2})/y;
const repetition = /\{(?<min>\d{1,8})(?<open>,(?<max>\d{1,8})?)?\}/y;
const caseFolding = /\(\?[a-zA-Z]*i/;

/** An empty part is an instruction as well. */
const emptyGroup = { before: 1, last: 0 };

interface Group {
  /** Of what stands before the last part. */
  before: number;
  /** The last part, which a repetition multiplies. */
  last: number;
}

function matchAt(expression: RegExp, text: string, index: number): RegExpExecArray | null {
  expression.lastIndex = index;
  return expression.exec(text);
}

/** Reads a regular expression from left to right, once. */
class SizeReader {
  readonly #text: string;
  readonly #isFolded: boolean;
  readonly #groups: Group[] = [];
  #group: Group = { ...emptyGroup };
  /** What reading itself costs, however often it is repeated. */
  #reading = 0;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#isFolded = caseFolding.test(text);
  }

  read(): number {
    while (this.#at < this.#text.length) this.#part();
    while (this.#groups.length > 0) this.#close();
    return this.#group.before + this.#group.last + this.#reading;
  }

  #part(): void {
    const char = this.#text[this.#at];
    if (char === '\\') this.#escape();
    else if (char === '[') this.#class();
    else if (char === '(') this.#open();
    else if (char === ')') this.#take(1, () => this.#close());
    else if (char === '|') this.#take(1, () => this.#add(2));
    else if (char === '{') this.#braces();
    else if (char === '*' || char === '+' || char === '?') this.#take(1, () => this.#repeat(1, 2));
    else this.#take(1, () => this.#add(1));
  }

  #take(length: number, count: () => void): void {
    this.#at += length;
    count();
  }

  #add(size: number): void {
    this.#group.before += this.#group.last;
    this.#group.last = size;
  }

  #repeat(times: number, more: number): void {
    this.#group.last = this.#group.last * times + more;
  }

  #open(): void {
    this.#groups.push(this.#group);
    this.#group = { ...emptyGroup };
    // What follows `(?` is counted as text, of which there is little.
    this.#at += this.#text[this.#at + 1] === '?' ? 2 : 1;
  }

  #close(): void {
    const size = this.#group.before + this.#group.last + 2;
    const parent = this.#groups.pop();
    if (parent === undefined) return;
    this.#group = parent;
    this.#add(size);
  }

  #braces(): void {
    const found = matchAt(repetition, this.#text, this.#at);
    if (found === null) return this.#take(1, () => this.#add(1));
    const { min = '0', open, max } = found.groups ?? {};
    const most = Math.max(1, open === undefined ? Number(min) : Number(max ?? min));
    return this.#take(found[0].length, () => this.#repeat(most, Math.max(0, most - Number(min)) + 2));
  }

  #unicodeClass(): boolean {
    const found = matchAt(unicodeClass, this.#text, this.#at);
    if (found === null) return false;
    this.#at += found[0].length;
    this.#reading += perUnicodeClass;
    return true;
  }

  #escape(): void {
    if (this.#text.startsWith('\\Q', this.#at)) return this.#quoted();
    if (this.#unicodeClass()) return this.#add(perUnicodeClass);
    const rune = matchAt(runeEscape, this.#text, this.#at);
    return this.#take(rune?.[0].length ?? 2, () => this.#add(1));
  }

  #quoted(): void {
    const end = this.#text.indexOf('\\E', this.#at);
    const next = end === -1 ? this.#text.length : end + 2;
    for (; this.#at < next; this.#at += 1) this.#add(1);
  }

  #class(): void {
    const start = this.#at;
    let size = 1;
    this.#at += this.#text[start + 1] === '^' ? 2 : 1;
    for (let isFirst = true; this.#at < this.#text.length; isFirst = false) {
      if (this.#text[this.#at] === ']' && !isFirst) break;
      size += this.#classPart();
    }
    this.#take(1, () => this.#add(size + Math.floor((this.#at - start) / charactersPerInstruction)));
  }

  #classPart(): number {
    if (this.#unicodeClass()) return perUnicodeClass;
    if (this.#text.startsWith('[:', this.#at)) {
      const end = this.#text.slice(this.#at, this.#at + 16).indexOf(':]');
      // Whether it ends later is searched in all of the rest.
      this.#reading += end === -1 ? (this.#text.length - this.#at) / 1000 : 0;
      this.#at += end === -1 ? 2 : end + 2;
      return 0;
    }
    if (this.#text[this.#at] === '-') this.#at += 1;
    const [rune, length] = this.#rune();
    if (this.#isFolded && this.#text[this.#at - 1] === '-') this.#reading += rune / runesPerInstruction;
    this.#at += length;
    return 0;
  }

  /** The character of a class, at most, and its length in the text. */
  #rune(): readonly [rune: number, length: number] {
    if (this.#text[this.#at] === ']') return [0, 0];
    if (this.#text[this.#at] !== '\\') {
      const rune = this.#text.codePointAt(this.#at) ?? 0;
      return [rune, rune > 0xffff ? 2 : 1];
    }
    const found = matchAt(runeEscape, this.#text, this.#at);
    if (found === null) return [0x1ff, 2];
    const braced = Number.parseInt(found.groups?.['braced'] ?? 'ff', 16);
    return [Math.min(braced, maxRune) || 0, found[0].length];
  }
}

/** How many instructions a regular expression compiles to, at most and about: what is repeated counts each time. Reads the text once,
 *  whether or not it is an expression. */
export function patternSize(source: string): number {
  return new SizeReader(source).read();
}
