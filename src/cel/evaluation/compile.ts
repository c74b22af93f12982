import { type FunctionDeclaration, type Implementation, namedTypes } from '../language/environment.ts';
import {
  type CallNode,
  type Expression,
  type FoldNode,
  type ListNode,
  type MapNode,
  optionalSelect,
} from '../language/expression.ts';
import { accumulatorName } from '../language/macros.ts';
import {
  ArrayList,
  EntryMap,
  Failure,
  keyOf,
  MapValue,
  noSuchOverload,
  Optional,
  printValue,
  TypeValue,
  typeNameOf,
  type Value,
} from '../values/value.ts';
import { access, accessOptional, isPresent } from './access.ts';
import { costOfCall } from './call-cost.ts';
import { perKey, workOfCall } from './call-work.ts';
import {
  CannotCompile,
  checkConstantPattern,
  implementationOf,
  isConstant,
  isConstantMembership,
} from './constants.ts';
import type { Frame } from './frame.ts';
import { growing, roundsOf } from './loops.ts';

/** Computes a part of an expression. */
export type Evaluator = (frame: Frame) => Value;

const listCost = 10;
const mapCost = 30;

function isAttribute(node: Expression): boolean {
  return node.kind === 'ident' || node.kind === 'select' || (node.kind === 'call' && indexNames.has(node.name));
}

const indexNames = new Set(['_[_]', '_[?_]', optionalSelect]);

/** Names of types are values of their own. */
const typeValues: ReadonlyMap<string, Value> = new Map(
  [...namedTypes.keys()].map((name) => [name, new TypeValue(name)]),
);

const conversionNames = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);

class Compiler {
  readonly #functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly #scopes: { readonly name: string; readonly slot: number }[] = [];

  constructor(functions: ReadonlyMap<string, FunctionDeclaration>) {
    this.#functions = functions;
  }

  compile(node: Expression): Evaluator {
    switch (node.kind) {
      case 'literal':
        return () => node.value;
      case 'ident':
        return this.#variable(node.name);
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
        throw new CannotCompile('unsupported expression');
    }
  }

  #variable(name: string): Evaluator {
    const slot = this.#scopes.findLast((scope) => scope.name === name)?.slot;
    if (slot !== undefined) {
      return (frame) => {
        frame.charge(1);
        return frame.slots[slot] ?? null;
      };
    }
    const plain = name.startsWith('.') ? name.slice(1) : name;
    const type = typeValues.get(plain);
    const otherwise = type ?? new Failure(`no such attribute(s): ${plain}`);
    return (frame) => {
      frame.charge(1);
      const value = frame.lookUp(plain);
      return value === undefined ? otherwise : value;
    };
  }

  #select({ operand, field, isTest, variable }: Expression & { kind: 'select' }): Evaluator {
    if (variable !== undefined) return this.#variable(variable);
    const inner = this.compile(operand);
    const extra = isAttribute(operand) ? 0 : 1;
    if (isTest) {
      return (frame) => {
        const container = inner(frame);
        frame.charge(extra);
        return isPresent(container, field);
      };
    }
    return (frame) => {
      const container = inner(frame);
      frame.charge(1 + extra);
      const value = access(container, field);
      // Read from its text each time.
      if (value instanceof Uint8Array) frame.work(value.length);
      return value;
    };
  }

  #index(node: CallNode, read: (container: Value, key: Value) => Value): Evaluator {
    const [operand, key] = node.args;
    if (operand === undefined || key === undefined) throw new CannotCompile('unsupported index');
    const [container, index] = [this.compile(operand), this.compile(key)];
    const cost = isAttribute(operand) ? 1 : 2;
    return (frame) => {
      const inside = container(frame);
      if (inside instanceof Failure) return inside;
      const at = index(frame);
      frame.charge(cost);
      return at instanceof Failure ? at : read(inside, at);
    };
  }

  #call(node: CallNode): Evaluator {
    switch (node.name) {
      case '_&&_':
        return this.#logic(node, false);
      case '_||_':
        return this.#logic(node, true);
      case '_?_:_':
        return this.#conditional(node);
      case '@not_strictly_false':
        return this.#notStrictlyFalse(node);
      case '_[_]':
        return this.#index(node, access);
      case '_[?_]':
      case optionalSelect:
        return this.#index(node, accessOptional);
      case 'or':
      case 'orValue':
        return this.#orElse(node);
      default:
        return this.#function(node);
    }
  }

  #operands(node: CallNode): Evaluator[] {
    const nodes = node.target === undefined ? node.args : [node.target, ...node.args];
    return nodes.map((operand) => this.compile(operand));
  }

  #logic(node: CallNode, decisive: boolean): Evaluator {
    const operands = this.#operands(node);
    return (frame) => {
      let failure: Failure | undefined;
      for (const operand of operands) {
        const value = operand(frame);
        if (value === decisive) return decisive;
        if (typeof value !== 'boolean') failure ??= noSuchOverload(value);
      }
      return failure ?? !decisive;
    };
  }

  #conditional(node: CallNode): Evaluator {
    const [condition, yes, no] = this.#operands(node);
    const [yesCost, noCost] = node.args.slice(1).map((branch) => (isAttribute(branch) ? -1 : 0));
    return (frame) => {
      const chosen = condition?.(frame) ?? null;
      if (typeof chosen !== 'boolean') return noSuchOverload(chosen);
      frame.charge((chosen ? yesCost : noCost) ?? 0);
      return (chosen ? yes : no)?.(frame) ?? null;
    };
  }

  #notStrictlyFalse(node: CallNode): Evaluator {
    const [operand] = this.#operands(node);
    return (frame) => {
      const value = operand?.(frame) ?? null;
      frame.charge(1);
      return typeof value === 'boolean' ? value : true;
    };
  }

  #orElse(node: CallNode): Evaluator {
    const [first, second] = this.#operands(node);
    const isValue = node.name === 'orValue';
    return (frame) => {
      const optional = first?.(frame) ?? null;
      if (!(optional instanceof Optional)) return optional;
      if (optional.value === undefined) return second?.(frame) ?? null;
      return isValue ? optional.value : optional;
    };
  }

  #function(node: CallNode): Evaluator {
    const declaration = this.#functions.get(node.name);
    if (declaration === undefined) throw new CannotCompile(`no such overload: ${node.name}`);
    const implementation = implementationOf(declaration, node);
    const constant = this.#constantConversion(node, implementation);
    if (constant !== undefined) return () => constant;
    checkConstantPattern(node, implementation);
    const operands = this.#operands(node);
    const cost = isConstantMembership(node) ? () => 0 : costOfCall(node.name);
    const work = workOfCall(node.name);
    return (frame) => {
      const args: Value[] = [];
      let failure: Failure | undefined;
      for (const operand of operands) {
        const value = operand(frame);
        if (value instanceof Failure) failure ??= value;
        args.push(value);
      }
      if (failure !== undefined) return failure;
      frame.work(work(args, frame.workLeft));
      frame.charge(cost === undefined ? 1 : cost(args));
      return implementation(args, () => frame.tick());
    };
  }

  #constant(node: Expression): Value | undefined {
    if (node.kind === 'literal') return node.value;
    if (node.kind !== 'call' || !conversionNames.has(node.name)) return undefined;
    const declaration = this.#functions.get(node.name);
    return declaration === undefined ? undefined : this.#constantConversion(node, implementationOf(declaration, node));
  }

  /** `duration('1h')` is computed once. */
  #constantConversion(node: CallNode, implementation: Implementation): Value | undefined {
    const [arg] = node.args;
    if (!conversionNames.has(node.name) || node.args.length !== 1 || arg === undefined) return undefined;
    const value = this.#constant(arg);
    if (value === undefined) return undefined;
    const result = implementation([value], () => undefined);
    if (result instanceof Failure) throw new CannotCompile(result.message);
    return result;
  }

  #list(node: ListNode): Evaluator {
    const items = node.elements.map((element) => this.compile(element));
    const cost = isConstant(node) ? 0 : listCost;
    return (frame) => {
      const values: Value[] = [];
      for (const [index, item] of items.entries()) {
        const value = item(frame);
        if (value instanceof Failure) return value;
        if (!node.optionals.has(index)) values.push(value);
        else if (!(value instanceof Optional)) return notOptional('list element', value);
        else if (value.value !== undefined) values.push(value.value);
      }
      frame.charge(cost);
      return new ArrayList(values);
    };
  }

  #map(node: MapNode): Evaluator {
    const entries = node.entries.map(({ key, value, isOptional }) => ({
      key: this.compile(key),
      value: this.compile(value),
      isOptional,
    }));
    const isFixed = node.entries.every(({ key, value }) => key.kind === 'literal' && value.kind === 'literal');
    return (frame) => {
      const found = new Map<string, readonly [Value, Value]>();
      for (const entry of entries) {
        const failure = addEntry(found, { ...entry, frame });
        if (failure !== undefined) return failure;
      }
      frame.charge(isFixed ? 0 : mapCost);
      return new EntryMap(found);
    };
  }

  #fold(node: FoldNode): Evaluator {
    const range = this.compile(node.range);
    const gathers = node.accumulator === accumulatorName;
    const init = gathers ? (growing(node.init) ?? this.compile(node.init)) : this.compile(node.init);
    const depth = this.#scopes.length;
    const accumulator = this.#declare(node.accumulator);
    const first = this.#declare(node.variable);
    const second = node.variable2 === undefined ? undefined : this.#declare(node.variable2);
    const [condition, step] = [this.compile(node.condition), this.compile(node.step)];
    this.#scopes.length = depth + 1;
    const result = this.compile(node.result);
    this.#scopes.length = depth;
    return (frame) => {
      const values = range(frame);
      if (values instanceof Failure) return values;
      const rounds = roundsOf(values, second !== undefined);
      if (rounds instanceof Failure) return rounds;
      if (values instanceof MapValue) frame.work(values.size * perKey);
      frame.slots[accumulator] = init(frame);
      for (const [one, two] of rounds) {
        frame.tick();
        frame.slots[first] = one;
        if (second !== undefined) frame.slots[second] = two;
        if (condition(frame) === false) break;
        frame.slots[accumulator] = step(frame);
      }
      return result(frame);
    };
  }

  #declare(name: string): number {
    const slot = this.#scopes.length;
    this.#scopes.push({ name, slot });
    return slot;
  }
}

function notOptional(what: string, value: Value): Failure {
  return new Failure(`cannot initialize optional ${what} from non-optional value ${printValue(value)}`);
}

interface Entry {
  readonly key: Evaluator;
  readonly value: Evaluator;
  readonly isOptional: boolean;
  readonly frame: Frame;
}

function addEntry(
  found: Map<string, readonly [Value, Value]>,
  { key, value, isOptional, frame }: Entry,
): Failure | undefined {
  const name = key(frame);
  if (name instanceof Failure) return name;
  const given = value(frame);
  if (given instanceof Failure) return given;
  if (isOptional && !(given instanceof Optional)) return notOptional(`entry '${printValue(name)}'`, given);
  const content = isOptional && given instanceof Optional ? given.value : given;
  const text = keyOf(name);
  if (text === undefined) return new Failure(`unsupported key type: ${typeNameOf(name)}`);
  if (content !== undefined) found.set(text, [name, content]);
  return undefined;
}

/** Makes a checked expression ready to be computed many times.
 *  @throws CannotCompile when a constant part has no value, for example a wrong regular expression */
export function compileExpression(root: Expression, functions: ReadonlyMap<string, FunctionDeclaration>): Evaluator {
  return new Compiler(functions).compile(root);
}
