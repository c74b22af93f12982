import type { Issue } from './source-text.ts';

/** The kinds of token as messages name them: `'('`, `IDENTIFIER`, `<EOF>`. */
export type TokenKind = string;

/** One word of an expression; blanks and comments are none. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly offset: number;
}

/** The end of the text, as a token. */
export const endOfText = '<EOF>';

const escape = String.raw`\\(?:[abfnrtv"'\\?\x60]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7][0-7])`;
const texts = [
  `[rR]"""[\\s\\S]*?"""`,
  `[rR]'''[\\s\\S]*?'''`,
  `"""(?:${escape}|[^\\\\])*?"""`,
  `'''(?:${escape}|[^\\\\])*?'''`,
  `[rR]"[^"\\n\\r]*"`,
  `[rR]'[^'\\n\\r]*'`,
  `"(?:${escape}|[^\\\\"\\n\\r])*"`,
  `'(?:${escape}|[^\\\\'\\n\\r])*'`,
].join('|');

/** Tried in this order, the longest match wins; at equal length the first. */
const patterns: readonly (readonly [TokenKind, RegExp])[] = [
  ['operator', /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
  ['NUM_FLOAT', /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ['NUM_INT', /0x[0-9a-fA-F]+|\d+/y],
  ['NUM_UINT', /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ['STRING', new RegExp(texts, 'y')],
  ['BYTES', new RegExp(`[bB](?:${texts})`, 'y')],
  ['IDENTIFIER', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['ESC_IDENTIFIER', /`[A-Za-z0-9_.\-/ ]+`/y],
];

const blanks = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const words = new Set(['in', 'true', 'false', 'null']);

function matchAt(pattern: RegExp, text: string, offset: number): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
}

function longestToken(text: string, offset: number): Token | undefined {
  let best: Token | undefined;
  for (const [kind, pattern] of patterns) {
    const found = matchAt(pattern, text, offset);
    if (found === undefined || found.length <= (best?.text.length ?? 0)) continue;
    const isWord = kind === 'operator' || words.has(found);
    best = { kind: isWord ? `'${found}'` : kind, text: found, offset };
  }
  return best;
}

const stringStart = new RegExp(`(?:"(?:${escape}|[^\\\\"\\n\\r])*|'(?:${escape}|[^\\\\'\\n\\r])*)`, 'y');
const escapeStart = /\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?/y;
const quotedNameStart = /`[A-Za-z0-9_.\-/ ]*/y;

function characterLength(text: string, offset: number): number {
  const code = text.codePointAt(offset);
  return code === undefined ? 0 : String.fromCodePoint(code).length;
}

/** The end of what looks like the beginning of a token; undefined when not even the first character does. */
function brokenEnd(text: string, offset: number): number | undefined {
  const first = text[offset] ?? '';
  if (first === '`') return offset + (matchAt(quotedNameStart, text, offset) ?? first).length;
  if (first !== '"' && first !== "'") return '=&|'.includes(first) ? offset + 1 : undefined;
  const end = offset + (matchAt(stringStart, text, offset) ?? first).length;
  return end + (matchAt(escapeStart, text, end) ?? '').length;
}

/** How far a token could be read that is none in the end; the character that broke it belongs to the fault. */
function brokenLength(text: string, offset: number): number {
  const end = brokenEnd(text, offset) ?? offset;
  return end - offset + characterLength(text, end);
}

/** Splits an expression into tokens, ending with `<EOF>`; what is not a token is reported and skipped. */
export function tokenize(text: string, report: (issue: Issue) => void): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  while (offset < text.length) {
    const blank = matchAt(blanks, text, offset);
    if (blank !== undefined) {
      offset += blank.length;
      continue;
    }
    const token = longestToken(text, offset);
    if (token === undefined) {
      const length = brokenLength(text, offset);
      report({ offset, message: `Syntax error: token recognition error at: '${text.slice(offset, offset + length)}'` });
      offset += length;
      continue;
    }
    tokens.push(token);
    offset += token.text.length;
  }
  return [...tokens, { kind: endOfText, text: endOfText, offset: text.length }];
}
