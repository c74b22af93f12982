import { endOfText, type TokenKind } from './tokens.ts';

/** Operators of one rank. */
export const relations: ReadonlySet<TokenKind> = new Set(["'<'", "'<='", "'>='", "'>'", "'=='", "'!='", "'in'"]);
export const sums: ReadonlySet<TokenKind> = new Set(["'+'", "'-'"]);
export const products: ReadonlySet<TokenKind> = new Set(["'*'", "'/'", "'%'"]);
/** Operators whose functions are not named after them. */
export const operatorNames: ReadonlyMap<TokenKind, string> = new Map([["'in'", '@in']]);

/** Words that no variable may have. */
export const reserved: ReadonlySet<string> = new Set(
  (
    'as break const continue else false for function if import in let loop package namespace null return true ' +
    'var void while'
  ).split(' '),
);

/** What may stand behind the last token of an operand. */
export const behindOperand: ReadonlySet<TokenKind> = new Set([
  ...relations,
  ...sums,
  ...products,
  "'&&'",
  "'||'",
  "'?'",
  "'.'",
  "'['",
  endOfText,
]);
