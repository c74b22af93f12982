import { Uint, type Value } from '../values/value.ts';
import type { Token, TokenKind } from './tokens.ts';

/** A literal that is written in a way that has no value. */
export class BadLiteral {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

function readInt(text: string, sign: bigint): Value | BadLiteral {
  const value = sign * BigInt(text);
  return value > maxInt || value < -maxInt - 1n ? new BadLiteral('invalid int literal') : value;
}

function readUint(text: string): Value | BadLiteral {
  const value = BigInt(text.slice(0, -1));
  return value > maxUint ? new BadLiteral('invalid uint literal') : new Uint(value);
}

function readDouble(text: string, sign: bigint): Value | BadLiteral {
  const value = Number(sign) * Number(text);
  return Number.isFinite(value) ? value : new BadLiteral('invalid double literal');
}

function readNumber(kind: TokenKind, text: string, sign: bigint): Value | BadLiteral {
  if (kind === 'NUM_INT') return readInt(text, sign);
  return kind === 'NUM_UINT' ? readUint(text) : readDouble(text, sign);
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const escapes = /\\(?:[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7][0-7]|[\s\S])/g;

/** The character that an escape means, as a number; a simple one as the text it stands for. */
function readEscape(escape: string): number | string {
  const body = escape.slice(1);
  if (body.length === 1) return simpleEscapes[body] ?? body;
  return /^\d/.test(body) ? Number.parseInt(body, 8) : Number.parseInt(body.slice(1), 16);
}

function isCharacter(code: number): boolean {
  return code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
}

function stripQuotes(token: string): { readonly body: string; readonly isRaw: boolean } {
  const isRaw = /^[rR]/.test(token);
  const text = (isRaw ? token.slice(1) : token).replaceAll(/\r\n?/g, '\n');
  const width = text.length >= 6 && /^(?:"""|''')/.test(text) ? 3 : 1;
  return { body: text.slice(width, -width), isRaw };
}

function readText(token: string): string | BadLiteral {
  const { body, isRaw } = stripQuotes(token);
  if (isRaw || !body.includes('\\')) return body;
  let isGood = true;
  const text = body.replaceAll(escapes, (escape) => {
    const unescaped = readEscape(escape);
    if (typeof unescaped === 'string') return unescaped;
    isGood &&= isCharacter(unescaped);
    return isCharacter(unescaped) ? String.fromCodePoint(unescaped) : '';
  });
  return isGood ? text : new BadLiteral('invalid unicode code point');
}

/** Text as UTF-8, escapes as single bytes. */
function readBytes(token: string): Uint8Array | BadLiteral {
  const { body, isRaw } = stripQuotes(token.slice(1));
  if (isRaw) return new TextEncoder().encode(body);
  const parts: Buffer[] = [];
  let end = 0;
  for (const match of body.matchAll(escapes)) {
    const [escape] = match;
    if (/^\\[uU]./.test(escape)) return new BadLiteral('unable to unescape string');
    const unescaped = readEscape(escape);
    parts.push(
      Buffer.from(body.slice(end, match.index)),
      typeof unescaped === 'string' ? Buffer.from(unescaped) : Buffer.from([unescaped]),
    );
    end = match.index + escape.length;
  }
  parts.push(Buffer.from(body.slice(end)));
  return new Uint8Array(Buffer.concat(parts));
}

const words = new Map<TokenKind, boolean | null>([
  ["'true'", true],
  ["'false'", false],
  ["'null'", null],
]);

/** The value of a token that is a literal. */
export function readLiteral(token: Token, sign: bigint): Value | BadLiteral {
  if (token.kind === 'STRING') return readText(token.text);
  if (token.kind === 'BYTES') return readBytes(token.text);
  return words.get(token.kind) ?? (token.kind === "'null'" ? null : readNumber(token.kind, token.text, sign));
}
