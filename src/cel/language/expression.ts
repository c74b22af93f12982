import type { Value } from '../values/value.ts';
import type { CelType } from './cel-type.ts';

/** The operator between a value and an optional field of it. */
export const optionalSelect = '_?._';

interface Node {
  /** Where errors about the node point: UTF-16 units from the start. */
  readonly offset: number;
  /** Set by the checker. */
  type?: CelType;
}

/** A constant. */
export interface LiteralNode extends Node {
  readonly kind: 'literal';
  readonly value: Value;
}

/** A name, possibly with a leading dot; dotted once the checker found a variable of that name. */
export interface IdentNode extends Node {
  readonly kind: 'ident';
  name: string;
}

/** `operand.field`, or `has(operand.field)`. */
export interface SelectNode extends Node {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  readonly isTest: boolean;
  /** Set by the checker when the whole is a variable with a dotted name. */
  variable?: string;
}

/** A function, method or operator call. */
export interface CallNode extends Node {
  readonly kind: 'call';
  name: string;
  target: Expression | undefined;
  readonly args: readonly Expression[];
  /** Ids of the overloads that the types allow; set by the checker. */
  overloads?: readonly string[];
}

/** `[a, ?b]` */
export interface ListNode extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expression[];
  readonly optionals: ReadonlySet<number>;
}

/** One `key: value` of a map. */
export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}

/** `{a: b, ?c: d}` */
export interface MapNode extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** One `field: value` of a message. */
export interface FieldEntry {
  readonly offset: number;
  readonly name: string;
  readonly value: Expression;
  readonly isOptional: boolean;
}

/** `Name{field: value}` */
export interface StructNode extends Node {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly FieldEntry[];
}

/** What `all`, `map` and the other macros become: `accumulator` starts as `init`; for each element of `range`, while `condition` holds, it
 *  becomes `step`; then the value is `result`. */
export interface FoldNode extends Node {
  readonly kind: 'fold';
  readonly range: Expression;
  readonly variable: string;
  /** In two-variable forms the value, where `variable` is the key or index. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** Stands where nothing could be read; the fault is reported. */
export interface BrokenNode extends Node {
  readonly kind: 'broken';
}

/** The syntax tree of an expression. */
export type Expression =
  | LiteralNode
  | IdentNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | StructNode
  | FoldNode
  | BrokenNode;

/** A call's target, if it has one, and its arguments. */
export function operandsOf({ target, args }: CallNode): readonly Expression[] {
  return target === undefined ? args : [target, ...args];
}

/** The nodes right below a node, in the order they are read. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'select':
      return [node.operand];
    case 'call':
      return operandsOf(node);
    case 'list':
      return node.elements;
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'fold':
      return [node.range, node.init, node.condition, node.step, node.result];
    default:
      return [];
  }
}

/** How many nodes an expression has; of one that has more than `max`, more than that. */
export function nodesOf(node: Expression, max: number): number {
  let count = 1;
  for (const child of childrenOf(node)) {
    if (count > max) break;
    count += nodesOf(child, max - count);
  }
  return count;
}

/** `operand.?field` */
export function optionalSelection(
  operand: Expression,
  offset: number,
  name: { text: string; offset: number },
): Expression {
  const field: Expression = { kind: 'literal', offset: name.offset, value: name.text };
  return { kind: 'call', offset, name: optionalSelect, target: undefined, args: [operand, field] };
}
