import type { Expression } from './expression.ts';

/** An operand of `&&` or `||` with the place of the operator before it. */
export interface Term {
  readonly offset: number;
  readonly node: Expression;
}

/** Joins terms by an operator as a balanced tree, so that long chains are not deep. There is at least one term. */
export function balance(name: string, terms: readonly Term[]): Expression {
  const [first] = terms;
  const half = Math.ceil(terms.length / 2);
  const middle = terms[half];
  if (middle === undefined) return first?.node ?? { kind: 'broken', offset: -1 };
  const args = [balance(name, terms.slice(0, half)), balance(name, terms.slice(half))];
  return { kind: 'call', offset: middle.offset, name, target: undefined, args };
}
