/** Instructions that a character class with Unicode properties compiles into, at most a few; its ranges cost as much as many characters. */
const perProperty = 30;
/** Folding the case of a range adds the ranges of the other case. */
const perFoldedClass = 300;
const charactersPerInstruction = 8;

/** What is left to read of a pattern. */
interface Reader {
  readonly text: string;
  at: number;
}

/** Size of a part of a pattern. */
interface Size {
  /** To read it, once. */
  reading: number;
  /** Of what it compiles into, repetitions written out. */
  instructions: number;
}

/** Skips the rest of a class, after its bracket. */
function readClass(reader: Reader): void {
  const { text } = reader;
  if (text[reader.at] === '^') reader.at += 1;
  if (text[reader.at] === ']') reader.at += 1;
  while (reader.at < text.length && text[reader.at] !== ']') {
    const end = text.startsWith('[:', reader.at) ? text.slice(reader.at, reader.at + 16).indexOf(':]') : -1;
    if (end > 0) reader.at += end + 2;
    else reader.at += text[reader.at] === '\\' ? 2 : 1;
  }
  reader.at += 1;
}

/** Skips what names a property or a code point: `L` or `{Greek}`. */
function readBraces(reader: Reader): void {
  const end = reader.text[reader.at] === '{' ? reader.text.indexOf('}', reader.at) : reader.at;
  reader.at = end < 0 ? reader.text.length : end + 1;
}

/** Skips one character, escape, quotation or class. */
function readAtom(reader: Reader): void {
  const { text, at } = reader;
  const quotation = text.startsWith('\\Q', at) ? text.indexOf('\\E', at) : undefined;
  if (quotation !== undefined) {
    reader.at = quotation < 0 ? text.length : quotation + 2;
    return;
  }
  reader.at += text[at] === '\\' ? 2 : 1;
  if (text[at] === '[') readClass(reader);
  else if (text[at] === '\\' && 'pPx'.includes(text[at + 1] ?? 'none')) readBraces(reader);
}

/** How often the part before is written out, and the end of the repetition. */
function readRepetition({ text, at }: Reader): { readonly times: number; readonly end: number } | undefined {
  if ('*+?'.includes(text[at] ?? 'none')) return { times: 1, end: at + 1 };
  const [found, least = '', most = ''] = /^\{(\d{1,4})(?:,(\d{0,4}))?\}/.exec(text.slice(at, at + 12)) ?? [];
  return found === undefined ? undefined : { times: Math.max(1, Number(least), Number(most)), end: at + found.length };
}

/** The work of compiling a regular expression, estimated from its text: about the number of instructions of its program, and at least the number of its
 *  characters. A published definition has a few hundred for each pattern; a microsecond or two and a hundred bytes go into each.
 *  @see https://github.com/google/re2/wiki/Syntax */
export function patternWork(source: string): number {
  const isFolded = /\(\?[a-zA-Z]*i/.test(source);
  const reader: Reader = { text: source, at: 0 };
  const groups: Size[] = [{ reading: 0, instructions: 0 }];
  let last: Size = { reading: 0, instructions: 0 };
  const close = (): void => {
    last = groups.length > 1 ? (groups.pop() as Size) : { reading: 0, instructions: 1 };
    last.instructions += 2;
    add();
  };
  const add = (): void => {
    const group = groups.at(-1) as Size;
    group.reading += last.reading;
    group.instructions += last.instructions;
  };
  while (reader.at < source.length) {
    const start = reader.at;
    const repetition = readRepetition(reader);
    if (repetition !== undefined) {
      const more = last.instructions * (repetition.times - 1) + repetition.times;
      last = { reading: 0, instructions: last.instructions + more };
      (groups.at(-1) as Size).instructions += more;
      reader.at = repetition.end;
    } else if (source[start] === '(') {
      reader.at += 1;
      groups.push({ reading: 1, instructions: 0 });
    } else if (source[start] === ')') {
      reader.at += 1;
      close();
    } else {
      readAtom(reader);
      const text = source.slice(start, reader.at);
      const properties = text.match(/\\[pP]/g)?.length ?? 0;
      const isClass = properties > 0 || text.startsWith('[');
      const characters = text.length + properties * perProperty;
      last = {
        reading: characters + (isFolded && isClass ? perFoldedClass : 0),
        instructions: isClass ? Math.ceil(characters / charactersPerInstruction) : text.length,
      };
      add();
    }
  }
  while (groups.length > 1) close();
  const [{ reading, instructions }] = groups as [Size];
  // Some mistakes are looked for again from each bracket.
  return Math.max(reading + instructions, source.length, Math.round((source.length / 100) ** 2));
}
