import type { Issue } from './source-text.ts';
import { endOfText, type Token, type TokenKind } from './tokens.ts';

/** The order in which messages list what could have stood there. */
const listed: readonly TokenKind[] = [
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
];

/** What an operand may begin with. */
export const operandStart: ReadonlySet<TokenKind> = new Set([
  "'['",
  "'{'",
  "'('",
  "'.'",
  "'-'",
  "'!'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
]);

const afterOperand: readonly TokenKind[] = [
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'-'",
  "'?'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  endOfText,
];

const maxRecoveries = 30;

/** Ends reading when there are too many faults to go on. */
export class TooManyFaults extends Error {}

/** Ends a rule of the grammar whose token is missing; the rule above continues at the place that was found. */
export class RuleFault extends Error {}

function expectation(kinds: Iterable<TokenKind>): string {
  const expected = new Set(kinds);
  const texts = [...(expected.has(endOfText) ? [endOfText] : []), ...listed.filter((kind) => expected.has(kind))];
  return texts.length === 1 ? (texts[0] ?? '') : `{${texts.join(', ')}}`;
}

function show(token: Token): string {
  return `'${token.text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`;
}

/** Reads tokens in order and recovers from small faults the way users know from CEL: one token too many or too few is reported and passed over;
 *  else reading continues at the next token that may follow. */
export class TokenCursor {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #report: (issue: Issue) => void;
  #index = 0;
  #isRecovering = false;
  #recoveries = 0;
  /** What may stand after the rules that are being read. */
  readonly closers: TokenKind[] = [];

  constructor(text: string, tokens: readonly Token[], report: (issue: Issue) => void) {
    this.#text = text;
    this.#tokens = tokens;
    this.#report = report;
  }

  peek(ahead = 0): Token {
    const last = this.#tokens.length - 1;
    const token = this.#tokens[Math.min(this.#index + ahead, last)];
    return token ?? { kind: endOfText, text: endOfText, offset: this.#text.length };
  }

  is(kind: TokenKind, ahead = 0): boolean {
    return this.peek(ahead).kind === kind;
  }

  /** Takes the current token, whatever it is. */
  take(): Token {
    const token = this.peek();
    this.#index += 1;
    this.#isRecovering = false;
    return token;
  }

  /** Takes the token if it is of the kind. */
  takeIf(kind: TokenKind): Token | undefined {
    return this.is(kind) ? this.take() : undefined;
  }

  #fault(offset: number, message: string): void {
    if (!this.#isRecovering) this.#report({ offset, message: `Syntax error: ${message}` });
    this.#isRecovering = true;
  }

  /** Takes a token of the kind, recovering from a doubled or a missing one; `after` is what may stand behind it.
   *  @throws RuleFault */
  expect(kind: TokenKind, after: ReadonlySet<TokenKind>): Token {
    const token = this.peek();
    if (token.kind === kind) return this.take();
    this.#countRecovery();
    if (this.is(kind, 1)) {
      this.#fault(token.offset, `extraneous input ${show(token)} expecting ${expectation([kind])}`);
      this.#index += 1;
      return this.take();
    }
    if (after.has(token.kind)) {
      this.#fault(token.offset, `missing ${kind} at ${show(token)}`);
      return { kind, text: '', offset: token.offset };
    }
    throw this.mismatch([kind]);
  }

  /** Makes sure that the current token is one of these, dropping one that is too many.
   *  @throws RuleFault */
  sync(kinds: ReadonlySet<TokenKind>): void {
    const token = this.peek();
    if (kinds.has(token.kind)) return;
    if (kinds.has(this.peek(1).kind) && token.kind !== endOfText) {
      this.#fault(token.offset, `extraneous input ${show(token)} expecting ${expectation(kinds)}`);
      this.#index += 1;
      this.#isRecovering = false;
      return;
    }
    this.#countRecovery();
    throw this.mismatch(kinds);
  }

  /** Reports the current token as none of these. */
  mismatch(kinds: Iterable<TokenKind>): RuleFault {
    const token = this.peek();
    this.#fault(token.offset, `mismatched input ${show(token)} expecting ${expectation(kinds)}`);
    return new RuleFault();
  }

  /** Reports a token too many in a repetition. */
  extraneous(kinds: Iterable<TokenKind>): RuleFault {
    const token = this.peek();
    this.#fault(token.offset, `extraneous input ${show(token)} expecting ${expectation(kinds)}`);
    return new RuleFault();
  }

  /** Reports that the tokens from here to `ahead` tokens later begin no rule. */
  noAlternative(ahead: number): RuleFault {
    const [first, last] = [this.peek(), this.peek(ahead)];
    const end = last.kind === endOfText ? this.peek(ahead - 1) : last;
    const input = this.#text.slice(first.offset, end.offset + end.text.length);
    const word = /^.(true|false|null)$/.exec(input)?.[1];
    const text = input.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
    this.#fault(
      last.offset,
      word === undefined
        ? `no viable alternative at input '${text}'`
        : `mismatched input '${word}' expecting IDENTIFIER`,
    );
    return new RuleFault();
  }

  /** Passes over tokens until one may follow. */
  recover(): void {
    const follow = new Set([...this.closers, ...afterOperand]);
    while (!follow.has(this.peek().kind)) this.#index += 1;
  }

  #countRecovery(): void {
    this.#recoveries += 1;
    if (this.#recoveries <= maxRecoveries) return;
    const message = `Syntax error: error recovery attempt limit exceeded: ${maxRecoveries}`;
    this.#report({ offset: this.peek().offset, message });
    throw new TooManyFaults();
  }
}
