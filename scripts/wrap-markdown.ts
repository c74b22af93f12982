const maxColumns = 100;

/** A paragraph, list item or quotation while its lines are collected. */
interface Block {
  /** Before the first line and before the others: `- `, `> `, an indent. */
  readonly first: string;
  readonly rest: string;
  readonly words: string[];
}

/** Words of a text; inline code, tags and targets of links are not broken. */
function wordsOf(text: string): string[] {
  const unbroken = text.replaceAll(/(`+)(?:.+?)(?<!`)\1(?!`)|<[^<> ]+ [^<>]*>|\]\([^)]*\)/g, (whole) =>
    whole.length < maxColumns - 10 ? whole.replaceAll(' ', '\0') : whole,
  );
  return unbroken.split(/[ \t]+/).filter((word) => word !== '');
}

/** What would not be text at the start of a line. */
function isMark(word: string): boolean {
  return /^(?:[-+*>#|=]|\d+[.)]|~{3}.*|`{3}.*)$/.test(word);
}

function linesOf({ first, rest, words }: Block): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const [index, word] of words.entries()) {
    const next = words[index + 1] ?? '';
    const needed = isMark(next) ? word.length + 1 + next.length : word.length;
    if (!isEmpty && !isMark(word) && line.length + 1 + needed > maxColumns) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].map((one) => one.replaceAll('\0', ' '));
}

/** Lines that stay as they are and end a paragraph: empty ones, tables, headings, tags, definitions of links, indented code. */
function isVerbatim(line: string, open: Block | undefined): boolean {
  const text = line.trim();
  if (text === '' || /^(?:\||#|-{3,}$|\*{3,}$|\[[^\]]+\]:)/.test(text)) return true;
  if (text.startsWith('<') && !/^<a id="[^"]+"><\/a>\S/.test(text)) return true;
  return open === undefined && /^ {4}/.test(line);
}

/** The start of a list item, quotation or paragraph, or undefined where the line continues what is open. */
function startOf(line: string, open: Block | undefined): Block | undefined {
  const [, item] = /^(\s*(?:[-*+]|\d+[.)])\s+)/.exec(line) ?? [];
  if (item !== undefined)
    return { first: item, rest: ' '.repeat(item.length), words: wordsOf(line.slice(item.length)) };
  const [, quote] = /^(\s*>\s?)/.exec(line) ?? [];
  if (quote !== undefined && open?.first !== quote) {
    return { first: quote, rest: quote, words: wordsOf(line.slice(quote.length)) };
  }
  if (open !== undefined) return undefined;
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  return { first: indent, rest: indent, words: wordsOf(line) };
}

/** The lines of a document as they are written again, and the paragraph that is still open. */
class Lines {
  readonly #done: string[] = [];
  #open: Block | undefined;

  /** A line that stays as it is. */
  keep(line: string): void {
    this.#close();
    this.#done.push(line);
  }

  /** A line outside of fenced blocks. */
  add(line: string): void {
    if (isVerbatim(line, this.#open)) return this.keep(line);
    const started = startOf(line, this.#open);
    if (started === undefined) this.#open?.words.push(...wordsOf(line.replace(/^\s*>\s?/, '')));
    else {
      this.#close();
      this.#open = started;
    }
    if (line.endsWith('\\')) this.#close();
  }

  end(): string {
    this.#close();
    return this.#done.join('\n');
  }

  #close(): void {
    if (this.#open !== undefined) this.#done.push(...linesOf(this.#open));
    this.#open = undefined;
  }
}

/** Markdown whose prose wraps at 100 columns. Fenced blocks, tables and headings stay as they are; doing it again changes nothing. */
export function wrapMarkdown(text: string): string {
  const lines = new Lines();
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark === undefined) lines.add(line);
    else lines.keep(line);
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) === true) fence = undefined;
  }
  return lines.end();
}
