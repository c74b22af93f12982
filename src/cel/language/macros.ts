import type { Expression, FoldNode } from './expression.ts';

/** The name that macros give to what they gather; no expression can spell it. */
export const accumulatorName = '@result';

/** What a macro works with. */
export interface MacroCall {
  readonly name: string;
  readonly offset: number;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

/** Arguments that a macro cannot take. */
export interface MacroFault {
  readonly fault: string;
  readonly offset: number;
}

type Expansion = Expression | MacroFault;

class Maker {
  readonly #offset: number;

  constructor(offset: number) {
    this.#offset = offset;
  }

  literal(value: boolean | bigint): Expression {
    return { kind: 'literal', offset: this.#offset, value };
  }

  gathered(): Expression {
    return { kind: 'ident', offset: this.#offset, name: accumulatorName };
  }

  ident(name: string): Expression {
    return { kind: 'ident', offset: this.#offset, name };
  }

  call(name: string, ...args: readonly Expression[]): Expression {
    return { kind: 'call', offset: this.#offset, name, target: undefined, args };
  }

  method(target: Expression, name: string): Expression {
    return { kind: 'call', offset: this.#offset, name, target, args: [] };
  }

  list(...elements: readonly Expression[]): Expression {
    return { kind: 'list', offset: this.#offset, elements, optionals: new Set() };
  }

  map(): Expression {
    return { kind: 'map', offset: this.#offset, entries: [] };
  }

  fold(parts: Omit<FoldNode, 'kind' | 'offset' | 'type'>): Expression {
    return { kind: 'fold', offset: this.#offset, ...parts };
  }
}

interface Loop {
  readonly variable: string;
  readonly variable2: string | undefined;
}

const overwrites = 'iteration variable overwrites accumulator variable';

function nameOf(node: Expression | undefined, fault: string): string | MacroFault {
  if (node?.kind !== 'ident') return { fault, offset: node?.offset ?? 0 };
  if (node.name === '__result__') return { fault: overwrites, offset: node.offset };
  return node.name;
}

function oneVariable(args: readonly Expression[], fault: string): Loop | MacroFault {
  const name = nameOf(args[0], fault);
  return typeof name === 'string' ? { variable: name, variable2: undefined } : name;
}

function twoVariables(args: readonly Expression[]): Loop | MacroFault {
  const [first, second] = [
    nameOf(args[0], 'argument must be a simple name'),
    nameOf(args[1], 'argument must be a simple name'),
  ];
  if (typeof first !== 'string') return first;
  if (typeof second !== 'string') return second;
  if (first === second) return { fault: `duplicate variable name: ${first}`, offset: args[1]?.offset ?? 0 };
  return { variable: first, variable2: second };
}

interface Body {
  readonly make: Maker;
  readonly range: Expression;
  /** What follows the names of the variables. */
  readonly rest: readonly [Expression, ...Expression[]];
  readonly loop: Loop;
}

type Builder = (body: Body) => Expression;

function foldOf(
  { make, range, loop }: Body,
  parts: Pick<FoldNode, 'init' | 'condition' | 'step'> & { readonly result?: Expression },
): Expression {
  return make.fold({ range, ...loop, accumulator: accumulatorName, result: make.gathered(), ...parts });
}

const all: Builder = (body) => {
  const { make, rest } = body;
  const condition = make.call('@not_strictly_false', make.gathered());
  return foldOf(body, { init: make.literal(true), condition, step: make.call('_&&_', make.gathered(), rest[0]) });
};

const exists: Builder = (body) => {
  const { make, rest } = body;
  const condition = make.call('@not_strictly_false', make.call('!_', make.gathered()));
  return foldOf(body, { init: make.literal(false), condition, step: make.call('_||_', make.gathered(), rest[0]) });
};

const existsOne: Builder = (body) => {
  const { make, rest } = body;
  const counted = make.call('_+_', make.gathered(), make.literal(1n));
  return foldOf(body, {
    init: make.literal(0n),
    condition: make.literal(true),
    step: make.call('_?_:_', rest[0], counted, make.gathered()),
    result: make.call('_==_', make.gathered(), make.literal(1n)),
  });
};

/** Gathers by `step`, for those elements that pass the filter, if there is one. */
function gather(body: Body, init: Expression, step: (make: Maker, value: Expression) => Expression): Expression {
  const { make, rest } = body;
  const [first, second] = rest;
  const added = step(make, second ?? first);
  return foldOf(body, {
    init,
    condition: make.literal(true),
    step: second === undefined ? added : make.call('_?_:_', first, added, make.gathered()),
  });
}

const toList: Builder = (body) =>
  gather(body, body.make.list(), (make, value) => make.call('_+_', make.gathered(), make.list(value)));

const toMap: Builder = (body) =>
  gather(body, body.make.map(), (make, value) =>
    make.call('cel.@mapInsert', make.gathered(), make.ident(body.loop.variable), value),
  );

const toEntries: Builder = (body) =>
  gather(body, body.make.map(), (make, value) => make.call('cel.@mapInsert', make.gathered(), value));

const filter: Builder = (body) => {
  const { make, rest, loop } = body;
  const added = make.call('_+_', make.gathered(), make.list(make.ident(loop.variable)));
  return foldOf(body, {
    init: make.list(),
    condition: make.literal(true),
    step: make.call('_?_:_', rest[0], added, make.gathered()),
  });
};

interface LoopMacro {
  readonly build: Builder;
  readonly variables: 1 | 2;
  readonly nameFault?: string;
}

const identifier = 'argument is not an identifier';

/** Macros over lists and maps, by name and number of arguments. */
const loopMacros: Readonly<Record<string, LoopMacro>> = {
  'all/2': { build: all, variables: 1 },
  'all/3': { build: all, variables: 2 },
  'exists/2': { build: exists, variables: 1 },
  'exists/3': { build: exists, variables: 2 },
  'exists_one/2': { build: existsOne, variables: 1 },
  'exists_one/3': { build: existsOne, variables: 2 },
  'existsOne/3': { build: existsOne, variables: 2 },
  'map/2': { build: toList, variables: 1, nameFault: identifier },
  'map/3': { build: toList, variables: 1, nameFault: identifier },
  'filter/2': { build: filter, variables: 1, nameFault: identifier },
  'transformList/3': { build: toList, variables: 2 },
  'transformList/4': { build: toList, variables: 2 },
  'transformMap/3': { build: toMap, variables: 2 },
  'transformMap/4': { build: toMap, variables: 2 },
  'transformMapEntry/3': { build: toEntries, variables: 2 },
  'transformMapEntry/4': { build: toEntries, variables: 2 },
};

function expandLoop(macro: LoopMacro, call: MacroCall & { readonly target: Expression }): Expansion {
  const loop =
    macro.variables === 2
      ? twoVariables(call.args)
      : oneVariable(call.args, macro.nameFault ?? 'argument must be a simple name');
  if ('fault' in loop) return loop;
  const [first, ...rest] = call.args.slice(macro.variables);
  const make = new Maker(call.offset);
  return macro.build({ make, range: call.target, rest: [first ?? make.literal(true), ...rest], loop });
}

/** `optMap` and `optFlatMap`: the target's value under a name, where there is one. */
function expandOptional(call: MacroCall & { readonly target: Expression }): Expansion {
  const [name, body] = call.args;
  if (name?.kind !== 'ident' || body === undefined) {
    return { fault: `${call.name}() variable name must be a simple identifier`, offset: name?.offset ?? call.offset };
  }
  const make = new Maker(call.offset);
  const bound = make.fold({
    range: make.list(),
    variable: '#unused',
    variable2: undefined,
    accumulator: name.name,
    init: make.method(structuredClone(call.target), 'value'),
    condition: make.literal(false),
    step: make.ident(name.name),
    result: body,
  });
  const value = call.name === 'optMap' ? make.call('optional.of', bound) : bound;
  return make.call('_?_:_', make.method(call.target, 'hasValue'), value, make.call('optional.none'));
}

function expandHas({ args, offset }: MacroCall): Expansion {
  const [field] = args;
  if (field?.kind !== 'select') {
    return { fault: 'invalid argument to has() macro', offset: field?.offset ?? offset };
  }
  return { kind: 'select', offset, operand: field.operand, field: field.field, isTest: true };
}

function hasTarget(call: MacroCall): call is MacroCall & { readonly target: Expression } {
  return call.target !== undefined;
}

const optionalMacros: ReadonlySet<string> = new Set(['optMap/2', 'optFlatMap/2']);

/** What the expansion of a call has twice. */
export function copiedBy({ name, args, target }: MacroCall): Expression | undefined {
  return optionalMacros.has(`${name}/${args.length}`) ? target : undefined;
}

/** The expansion of a call of a macro; undefined for other calls. */
export function expandMacro(call: MacroCall): Expansion | undefined {
  if (!hasTarget(call)) return call.name === 'has' && call.args.length === 1 ? expandHas(call) : undefined;
  const key = `${call.name}/${call.args.length}`;
  if (optionalMacros.has(key)) return expandOptional(call);
  const macro = Object.hasOwn(loopMacros, key) ? loopMacros[key] : undefined;
  return macro === undefined ? undefined : expandLoop(macro, call);
}
