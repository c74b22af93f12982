import { basicTypes, type CelType, insideOptional } from '../language/cel-type.ts';
import {
  type CallNode,
  type Expression,
  type FoldNode,
  type ListNode,
  type MapNode,
  operandsOf,
} from '../language/expression.ts';
import { accumulatorName } from '../language/macros.ts';
import { codePoints } from '../library/conversions.ts';
import { estimateOverload, type Operand, unionOf } from './call-estimates.ts';
import { add, exactly, multiply, noCost, type Range, union, unknownRange } from './estimate.ts';

/** The largest size of what a path through the declared types leads to: `['self', 'items', '@items', 'name']`. */
export type SizeOfPath = (path: readonly string[]) => Range | undefined;

type Path = readonly string[];

/** The sizes of the keys (or indexes) and values of a list or map. */
interface EntrySizes {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly name: string;
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

const one = exactly(1n);
const scalars = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(type: CelType): boolean {
  const inside = insideOptional(type);
  return inside === undefined ? scalars.has(type.kind) : isScalar(inside);
}

function writtenSize(node: Expression): Range | undefined {
  if (node.kind === 'list') return exactly(BigInt(node.elements.length));
  if (node.kind === 'map') return exactly(BigInt(node.entries.length));
  if (node.kind !== 'literal') return undefined;
  if (typeof node.value === 'string') return exactly(BigInt(codePoints(node.value)));
  return node.value instanceof Uint8Array ? exactly(BigInt(node.value.length)) : one;
}

function unionEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) };
}

class Estimator {
  readonly #sizeOfPath: SizeOfPath;
  readonly #paths = new Map<Expression, Path>();
  readonly #sizes = new Map<Expression, Range>();
  readonly #entries = new Map<Expression, EntrySizes>();
  readonly #locals: Local[] = [];

  constructor(sizeOfPath: SizeOfPath) {
    this.#sizeOfPath = sizeOfPath;
  }

  cost(node: Expression): Range {
    switch (node.kind) {
      case 'ident':
        return this.#ident(node, node.name);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'fold':
        return this.#fold(node);
      default:
        return noCost;
    }
  }

  #local(name: string): Local | undefined {
    return this.#locals.findLast((local) => local.name === name);
  }

  #path(node: Expression): Path {
    const local = node.kind === 'ident' ? this.#local(node.name) : undefined;
    return local?.path ?? this.#paths.get(node) ?? [];
  }

  #type(node: Expression): CelType {
    return node.type ?? basicTypes.dyn;
  }

  #ident(node: Expression, name: string): Range {
    this.#paths.set(node, this.#local(name)?.path ?? [name]);
    return one;
  }

  #select(node: Expression & { kind: 'select' }): Range {
    if (node.variable !== undefined) return this.#ident(node, node.variable);
    const inner = this.cost(node.operand);
    if (node.isTest) return inner;
    this.#paths.set(node, [...this.#path(node.operand), node.field]);
    const { kind } = this.#type(node.operand);
    return kind === 'map' || kind === 'struct' || kind === 'parameter' ? add(inner, one) : inner;
  }

  #size(node: Expression): Range | undefined {
    const known = this.#sizes.get(node) ?? writtenSize(node);
    if (known !== undefined) return known;
    const path = this.#path(node);
    const declared = path.length === 0 ? undefined : this.#sizeOfPath(path);
    if (declared !== undefined) {
      this.#sizes.set(node, declared);
      return declared;
    }
    if (isScalar(this.#type(node))) return one;
    return node.kind === 'ident' ? this.#local(node.name)?.size : undefined;
  }

  #entriesOf(node: Expression): EntrySizes | undefined {
    const local = node.kind === 'ident' ? this.#local(node.name) : undefined;
    return this.#entries.get(node) ?? local?.entries;
  }

  #operand(node: Expression): Operand {
    const path = this.#path(node);
    const isHidden = path[0] === accumulatorName || path[0] === '__result__';
    const itemSize = path.length === 0 || isHidden ? undefined : this.#sizeOfPath([...path, '@items']);
    const literal = node.kind === 'literal' && typeof node.value === 'bigint' ? node.value : undefined;
    return { type: this.#type(node), size: this.#size(node), itemSize, literal };
  }

  #call(node: CallNode): Range {
    const [first] = node.args;
    if (node.name === 'dyn' && first !== undefined) return this.#dyn(node, first);
    const costs = node.args.map((arg) => this.cost(arg));
    if (node.name === '_?_:_') return this.#conditional(node, costs);
    if (node.name === '_&&_' || node.name === '_||_') return logic(costs);
    const targetCost = node.target === undefined ? noCost : this.cost(node.target);
    const operands = operandsOf(node).map((arg) => this.#operand(arg));
    let own: Range | undefined;
    for (const overload of node.overloads ?? []) {
      const { cost, size } = estimateOverload(node.name, overload, operands);
      own = unionOf(own, cost);
      this.#noteSize(node, { overload, size });
    }
    this.#noteEntries(node);
    return costs.reduce((total, cost) => add(total, cost), add(targetCost, own ?? noCost));
  }

  #noteSize(node: CallNode, { overload, size }: { overload: string; size: Range | undefined }): void {
    const [container] = node.args;
    if (container !== undefined && (overload === 'index_list' || overload === 'index_map')) {
      this.#paths.set(node, [...this.#path(container), overload === 'index_list' ? '@items' : '@values']);
      const value = this.#entriesOf(container)?.value;
      if (value !== undefined) this.#sizes.set(node, value);
    }
    const known = this.#sizes.get(node);
    if (size !== undefined) this.#sizes.set(node, known === undefined ? size : union(known, size));
  }

  #noteEntries(node: CallNode): void {
    const [a, b] = node.args;
    if (node.name !== '_+_' || a === undefined || b === undefined) return;
    const entries = unionEntries(this.#entriesOf(a), this.#entriesOf(b));
    if (entries !== undefined) this.#entries.set(node, entries);
  }

  #dyn(node: CallNode, arg: Expression): Range {
    const cost = this.cost(arg);
    this.#copySizes(node, arg);
    return add(one, cost);
  }

  #copySizes(to: Expression, from: Expression): void {
    const [size, entries] = [this.#size(from), this.#entriesOf(from)];
    if (size !== undefined) this.#sizes.set(to, size);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #conditional(node: CallNode, costs: readonly Range[]): Range {
    const [, yes, no] = node.args;
    const [condition = noCost, yesCost = noCost, noCostOf = noCost] = costs;
    if (yes !== undefined && no !== undefined) {
      this.#sizes.set(node, union(this.#size(yes) ?? unknownRange, this.#size(no) ?? unknownRange));
      const entries = unionEntries(this.#entriesOf(yes), this.#entriesOf(no));
      if (entries !== undefined) this.#entries.set(node, entries);
    }
    return add(condition, union(yesCost, noCostOf));
  }

  #unionSizes(nodes: readonly Expression[]): Range {
    if (nodes.length === 0) return noCost;
    return nodes.map((node) => this.#size(node) ?? unknownRange).reduce((a, b) => union(a, b));
  }

  #list(node: ListNode): Range {
    const cost = node.elements.reduce((sum, element) => add(sum, this.cost(element)), noCost);
    this.#entries.set(node, { isList: true, key: one, value: this.#unionSizes(node.elements) });
    return add(cost, exactly(10n));
  }

  #map(node: MapNode): Range {
    let cost = exactly(30n);
    for (const { key, value } of node.entries) cost = add(cost, add(this.cost(key), this.cost(value)));
    const [keys, values] = [node.entries.map(({ key }) => key), node.entries.map(({ value }) => value)];
    this.#entries.set(node, { isList: false, key: this.#unionSizes(keys), value: this.#unionSizes(values) });
    return add(cost, noCost);
  }

  #fold(node: FoldNode): Range {
    if (isBinding(node)) return this.#binding(node);
    const before = add(this.cost(node.range), this.cost(node.init));
    this.#bind(node.accumulator, node.init);
    const count = this.#pushVariables(node);
    const condition = this.cost(node.condition);
    const step = this.cost(node.step);
    const stepEntries = this.#entriesOf(node.step);
    this.#locals.length -= count;
    const result = this.cost(node.result);
    this.#locals.length -= 1;
    const rounds = this.#size(node.range) ?? unknownRange;
    this.#noteFold(node, { rounds, stepEntries });
    return add(add(before, result), multiply(rounds, add(step, condition)));
  }

  #noteFold(node: FoldNode, { rounds, stepEntries }: { rounds: Range; stepEntries: EntrySizes | undefined }): void {
    if (node.init.kind === 'literal') {
      const size = this.#size(node.init);
      if (size !== undefined) this.#sizes.set(node, size);
    } else if (node.init.kind === 'list' || node.init.kind === 'map') {
      this.#sizes.set(node, rounds);
      if (stepEntries !== undefined) this.#entries.set(node, stepEntries);
    }
  }

  #bind(name: string, node: Expression): void {
    this.#locals.push({ name, path: this.#path(node), size: this.#size(node), entries: this.#entriesOf(node) });
  }

  /** Makes the loop's variables known; answers how many there are. */
  #pushVariables(node: FoldNode): number {
    const entries = this.#entriesOf(node.range);
    const isList = entries?.isList ?? this.#type(node.range).kind === 'list';
    const path = this.#path(node.range);
    const value = { path: [...path, isList ? '@items' : '@values'], size: entries?.value, entries: undefined };
    const key = { path: [...path, isList ? '@indices' : '@keys'], size: entries?.key, entries: undefined };
    if (node.variable2 === undefined) {
      this.#locals.push({ name: node.variable, ...(isList ? value : key) });
      return 1;
    }
    this.#locals.push({ name: node.variable, ...key }, { name: node.variable2, ...value });
    return 2;
  }

  #binding(node: FoldNode): Range {
    const before = add(this.cost(node.range), this.cost(node.init));
    this.#bind(node.accumulator, node.init);
    const result = this.cost(node.result);
    this.#locals.length -= 1;
    this.#copySizes(node, node.result);
    return add(before, result);
  }
}

/** `optMap` gives a value a name by a loop without rounds. */
function isBinding({ range, condition }: FoldNode): boolean {
  const isEmpty = range.kind === 'list' && range.elements.length === 0;
  return isEmpty && condition.kind === 'literal' && condition.value === false;
}

/** The second operand may not be evaluated. */
function logic([left = noCost, right = noCost]: readonly Range[]): Range {
  return { min: left.min, max: add(left, right).max };
}

/** What a checked expression costs at least and at most, in units of cost, whatever its variables are within their declared sizes. */
export function estimateCost(root: Expression, sizeOfPath: SizeOfPath): Range {
  return new Estimator(sizeOfPath).cost(root);
}
