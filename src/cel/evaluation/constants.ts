import type { FunctionDeclaration, Implementation, Overload } from '../language/environment.ts';
import type { CallNode, Expression } from '../language/expression.ts';
import { Failure, fitsType, noSuchOverload, typeNameOf, type Value } from '../values/value.ts';

/** Fails when a part that is the same every time cannot be computed. */
export class CannotCompile extends Error {}

const patternNames = new Set(['matches', 'find', 'findAll']);

/** The regular expressions that a call has as literals; `matches(text, pattern)` may have its text among them. */
export function constantPatterns(node: Expression): string[] {
  if (node.kind !== 'call' || !patternNames.has(node.name)) return [];
  return node.args.map((arg) => literalText(arg)).filter((text) => text !== undefined);
}

/** A literal, or a list of literals. */
export function isConstant(node: Expression): boolean {
  if (node.kind === 'literal') return true;
  return node.kind === 'list' && node.optionals.size === 0 && node.elements.every((element) => isConstant(element));
}

/** `x in [1, 2]` */
export function isConstantMembership(node: CallNode): boolean {
  const list = node.args[1];
  return node.name === '@in' && list?.kind === 'list' && isConstant(list);
}

/** A literal regular expression is compiled once.
 *  @throws CannotCompile */
export function checkConstantPattern(node: CallNode, implementation: Implementation): void {
  if (!patternNames.has(node.name)) return;
  const pattern = node.args[node.target === undefined ? 1 : 0];
  const text = pattern === undefined ? undefined : literalText(pattern);
  if (text === undefined) return;
  const result = implementation(['', text], () => undefined);
  if (result instanceof Failure) throw new CannotCompile(result.message.replace('Illegal regex: ', ''));
}

function literalText(node: Expression): string | undefined {
  const inner = node.kind === 'call' && node.name === 'dyn' ? node.args[0] : node;
  return inner?.kind === 'literal' && typeof inner.value === 'string' ? inner.value : undefined;
}

function fits(overload: Overload, args: readonly Value[]): boolean {
  return (
    overload.parameters.length === args.length &&
    overload.parameters.every((type, index) => fitsType(args[index] ?? null, type))
  );
}

/** The one implementation of a function, or the choice between those of the overloads that the types allow. */
export function implementationOf(declaration: FunctionDeclaration, node: CallNode): Implementation {
  if (declaration.call !== undefined) return declaration.call;
  const candidates = declaration.overloads.filter(
    ({ id, call }) => call !== undefined && (node.overloads ?? []).includes(id),
  );
  const [only] = candidates;
  const absent = (args: readonly Value[]): Failure =>
    new Failure(`no such overload: ${declaration.name}(${args.map((arg) => typeNameOf(arg)).join(', ')})`);
  if (candidates.length === 1 && only?.call !== undefined) {
    const { call } = only;
    return (args, tick) => (fits(only, args) ? call(args, tick) : noSuchOverload());
  }
  return (args, tick) => candidates.find((overload) => fits(overload, args))?.call?.(args, tick) ?? absent(args);
}
