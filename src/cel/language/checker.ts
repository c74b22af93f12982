import {
  basicTypes,
  bounded,
  type CelType,
  formatArguments,
  formatType,
  insideOptional,
  isDyn,
  isDynOrError,
  isSameType,
  listType,
  mapType,
  optionalType,
  typeParameter,
} from './cel-type.ts';
import { type Environment, type FunctionDeclaration, lookUpName, type Overload } from './environment.ts';
import {
  type CallNode,
  childrenOf,
  type Expression,
  type FoldNode,
  type IdentNode,
  type ListNode,
  type MapNode,
  optionalSelect,
  type SelectNode,
  type StructNode,
} from './expression.ts';
import type { Issue } from './source-text.ts';
import { assign, mostGeneral, Substitutions, substitute } from './unification.ts';

/** `a.b.c` as a dotted name; undefined when it is not made of names only. */
function dottedName(node: Expression): string | undefined {
  if (node.kind === 'ident') return node.name;
  if (node.kind !== 'select' || node.isTest) return undefined;
  const operand = dottedName(node.operand);
  return operand === undefined ? undefined : `${operand}.${node.field}`;
}

class Checker {
  readonly #issues: Issue[] = [];
  readonly #known = new Substitutions();
  #counter = 0;
  #scopes: Map<string, CelType>[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Types below are final: unknown parts are `dyn`. */
  finish(node: Expression): void {
    if (node.type !== undefined) node.type = bounded(substitute(this.#known, node.type, true));
    for (const child of childrenOf(node)) this.finish(child);
  }

  /** Reports what could not be checked. */
  end(): readonly Issue[] {
    if (this.#known.isExhausted) this.#report(0, 'the types of the expression are too large to be checked');
    return this.#issues;
  }

  check(node: Expression): CelType {
    const type = bounded(this.#typeOf(node));
    node.type = type;
    return type;
  }

  #typeOf(node: Expression): CelType {
    switch (node.kind) {
      case 'literal':
        return literalType(node.value);
      case 'ident':
        return this.#identifier(node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'struct':
        return this.#struct(node);
      case 'fold':
        return this.#fold(node);
      case 'broken':
        return basicTypes.error;
    }
  }

  #report(offset: number, message: string): CelType {
    this.#issues.push({ offset, message });
    return basicTypes.error;
  }

  #lookUp(name: string): CelType | undefined {
    const scope = this.#scopes.findLast((variables) => variables.has(name));
    return scope?.get(name) ?? lookUpName(this.#environment, name);
  }

  #undeclared(offset: number, name: string): CelType {
    return this.#report(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #mismatch(offset: number, expected: CelType, found: CelType): CelType {
    return this.#report(offset, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  #assignable(from: CelType, to: CelType): boolean {
    return assign(this.#known, [from], [to]);
  }

  #unknownType(): CelType {
    this.#counter += 1;
    return typeParameter(`_var${this.#counter - 1}`);
  }

  #identifier(node: IdentNode): CelType {
    return this.#lookUp(node.name) ?? this.#undeclared(node.offset, node.name);
  }

  #select(node: SelectNode): CelType {
    const name = dottedName(node);
    const variable = name === undefined ? undefined : this.#lookUp(name);
    if (name !== undefined && variable !== undefined) {
      node.variable = name;
      return variable;
    }
    const field = this.#field(node.offset, { operand: node.operand, field: node.field, isOptional: false });
    return node.isTest ? basicTypes.bool : substitute(this.#known, field);
  }

  #field(
    offset: number,
    { operand, field, isOptional }: { operand: Expression; field: string; isOptional: boolean },
  ): CelType {
    const type = substitute(this.#known, this.check(operand));
    const inside = insideOptional(type);
    const found = this.#fieldOf(inside ?? type, field, offset);
    return inside !== undefined || isOptional ? optionalType(found) : found;
  }

  #fieldOf(target: CelType, field: string, offset: number): CelType {
    if (target.kind === 'map') return target.parameters[1] ?? basicTypes.dyn;
    if (target.kind === 'struct') return this.#structField(target.name, field, offset);
    if (target.kind === 'parameter') {
      this.#assignable(basicTypes.dyn, target);
      return basicTypes.dyn;
    }
    if (!isDynOrError(target)) {
      this.#report(offset, `type '${formatType(target)}' does not support field selection`);
    }
    return basicTypes.dyn;
  }

  #structField(name: string, field: string, offset: number): CelType {
    const fields = this.#environment.structs.get(name);
    if (fields === undefined) return this.#report(offset, `unexpected failed resolution of '${name}'`);
    return fields.get(field) ?? this.#report(offset, `undefined field '${field}'`);
  }

  #optionalSelect(node: CallNode): CelType {
    const [operand, field] = node.args;
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') return basicTypes.error;
    const type = this.#field(node.offset, { operand, field: field.value, isOptional: true });
    node.overloads = ['select_optional_field'];
    return substitute(this.#known, type);
  }

  #call(node: CallNode): CelType {
    if (node.name === optionalSelect) return this.#optionalSelect(node);
    for (const arg of node.args) this.check(arg);
    const { target } = node;
    if (target !== undefined) {
      const prefix = dottedName(target);
      const qualified = prefix === undefined ? undefined : this.#environment.functions.get(`${prefix}.${node.name}`);
      if (qualified === undefined) return this.#method(node, target);
      node.target = undefined;
      node.name = qualified.name;
      return this.#resolve(node, qualified);
    }
    const declaration = this.#environment.functions.get(node.name.replace(/^\./, ''));
    if (declaration === undefined) return this.#undeclared(node.offset, node.name);
    node.name = declaration.name;
    return this.#resolve(node, declaration);
  }

  #method(node: CallNode, target: Expression): CelType {
    this.check(target);
    const declaration = this.#environment.functions.get(node.name);
    return declaration === undefined ? this.#undeclared(node.offset, node.name) : this.#resolve(node, declaration);
  }

  #resolve(node: CallNode, declaration: FunctionDeclaration): CelType {
    const operands = node.target === undefined ? node.args : [node.target, ...node.args];
    if (declaration.name === '_&&_' || declaration.name === '_||_') return this.#logic(node, declaration);
    const types = operands.map((operand) => operand.type ?? basicTypes.dyn);
    const isMember = node.target !== undefined;
    const fitting: CelType[] = [];
    const ids: string[] = [];
    for (const overload of declaration.overloads) {
      const own = overload.isMember === isMember ? this.#tryOverload(overload, types) : undefined;
      if (own === undefined) continue;
      ids.push(overload.id);
      fitting.push(own);
    }
    node.overloads = ids;
    const [first, ...others] = fitting;
    if (first !== undefined) return others.every((type) => isSameType(type, first)) ? first : basicTypes.dyn;
    const known = types.map((type) => substitute(this.#known, type, true));
    const applied = formatArguments(known, isMember);
    return this.#report(node.offset, `found no matching overload for '${declaration.name}' applied to '${applied}'`);
  }

  #logic(node: CallNode, declaration: FunctionDeclaration): CelType {
    let isGood = true;
    for (const arg of node.args) {
      const type = arg.type ?? basicTypes.dyn;
      if (this.#assignable(type, basicTypes.bool)) continue;
      isGood = false;
      this.#mismatch(arg.offset, basicTypes.bool, type);
    }
    if (!isGood) return basicTypes.error;
    node.overloads = declaration.overloads.map(({ id }) => id);
    return basicTypes.bool;
  }

  #tryOverload(overload: Overload, types: readonly CelType[]): CelType | undefined {
    const fresh = new Substitutions(overload.generics.map((name) => [name, this.#unknownType()]));
    const parameters = overload.parameters.map((type) => substitute(fresh, type));
    if (!assign(this.#known, types, parameters)) return undefined;
    return substitute(this.#known, substitute(fresh, overload.result));
  }

  #list(node: ListNode): CelType {
    let joined: CelType | undefined;
    node.elements.forEach((element, index) => {
      const type = this.#entryType(element, node.optionals.has(index));
      joined = this.#join(joined, type);
    });
    return listType(joined ?? this.#unknownType());
  }

  /** The type of an element; one marked `?` must be an optional and counts as what is inside. */
  #entryType(element: Expression, isOptional: boolean): CelType {
    const type = this.check(element);
    if (!isOptional) return type;
    const inside = insideOptional(type);
    if (inside === undefined && !isDyn(type)) this.#mismatch(element.offset, optionalType(type), type);
    return inside ?? type;
  }

  #map(node: MapNode): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const { key, value, isOptional } of node.entries) {
      keys = this.#join(keys, this.check(key));
      values = this.#join(values, this.#entryType(value, isOptional));
    }
    return mapType(keys ?? this.#unknownType(), values ?? this.#unknownType());
  }

  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    if (this.#assignable(previous, current)) return mostGeneral(previous, current);
    return basicTypes.dyn;
  }

  #struct(node: StructNode): CelType {
    const known = this.#lookUp(node.name);
    if (known === undefined) return this.#undeclared(node.offset, node.name);
    const type = known.kind === 'type' ? known.parameters[0] : undefined;
    if (type === undefined) return this.#report(node.offset, `'${formatType(known)}' is not a type`);
    this.#report(node.offset, `'${type.name}' is not a message type`);
    for (const { value } of node.fields) this.check(value);
    return basicTypes.error;
  }

  #fold(node: FoldNode): CelType {
    this.check(node.range);
    const accumulated = this.check(node.init);
    const range = substitute(this.#known, node.range.type ?? basicTypes.dyn);
    const [first, second] = this.#elementTypes(node, range);
    this.#scopes.push(new Map([[node.accumulator, accumulated]]));
    const variables = new Map([[node.variable, first]]);
    if (node.variable2 !== undefined) variables.set(node.variable2, second);
    this.#scopes.push(variables);
    this.check(node.condition);
    this.#expect(node.condition, basicTypes.bool);
    this.check(node.step);
    this.#expect(node.step, accumulated);
    this.#scopes.pop();
    const result = this.check(node.result);
    this.#scopes.pop();
    return substitute(this.#known, result);
  }

  #elementTypes(node: FoldNode, range: CelType): readonly [CelType, CelType] {
    const [one = basicTypes.dyn, two = basicTypes.dyn] = range.parameters;
    if (range.kind === 'list') return node.variable2 === undefined ? [one, one] : [basicTypes.int, one];
    if (range.kind === 'map') return [one, two];
    if (isDynOrError(range) || range.kind === 'parameter') {
      this.#assignable(basicTypes.dyn, range);
      return [basicTypes.dyn, basicTypes.dyn];
    }
    const why = 'cannot be range of a comprehension (must be list, map, or dynamic)';
    const error = this.#report(node.range.offset, `expression of type '${formatType(range)}' ${why}`);
    return [error, error];
  }

  #expect(node: Expression, type: CelType): void {
    const found = node.type ?? basicTypes.dyn;
    if (!this.#assignable(type, found)) this.#mismatch(node.offset, type, found);
  }
}

function literalType(value: unknown): CelType {
  if (value === null) return basicTypes.null;
  if (typeof value === 'boolean') return basicTypes.bool;
  if (typeof value === 'bigint') return basicTypes.int;
  if (typeof value === 'number') return basicTypes.double;
  if (typeof value === 'string') return basicTypes.string;
  return value instanceof Uint8Array ? basicTypes.bytes : basicTypes.uint;
}

/** Finds the type of every node and the overloads of every call, which it writes into the tree. Answers what is wrong. */
export function checkTypes(root: Expression, environment: Environment): readonly Issue[] {
  const checker = new Checker(environment);
  checker.check(root);
  checker.finish(root);
  return checker.end();
}
