import type { PatternBudget } from '../../schema/index.ts';
import type { Value } from '../values/value.ts';
import {
  basicTypes,
  type CelType,
  listType,
  mapType,
  optionalName,
  optionalType,
  typeOf,
  typeParameter,
} from './cel-type.ts';

/** What computes a call. Arguments are values without errors, a method's target first; an error is answered as a Failure. What takes longer than its
 *  arguments suggest calls `tick` now and then, which may throw. */
export type Implementation = (args: readonly Value[], tick: () => void) => Value;

/** One way of calling a function. */
export interface Overload {
  readonly id: string;
  readonly isMember: boolean;
  /** A method's target comes first. */
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** Names of the type parameters in it. */
  readonly generics: readonly string[];
  /** Absent where the function as a whole has one. */
  readonly call?: Implementation;
}

/** A function with its overloads, in the order in which they are tried. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** Computes calls of all overloads. */
  readonly call?: Implementation;
}

/** Object types: name → field → type. */
export interface Structs {
  get(name: string): { get(field: string): CelType | undefined } | undefined;
}

/** The names that an expression may use. */
export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly structs: Structs;
  /** Of all expressions of an object; each has its own where there is none. */
  readonly patterns?: PatternBudget | undefined;
}

const anyType = typeParameter('A');
const typeNames: readonly (readonly [string, CelType])[] = [
  ['bool', basicTypes.bool],
  ['bytes', basicTypes.bytes],
  ['double', basicTypes.double],
  ['google.protobuf.Duration', basicTypes.duration],
  ['google.protobuf.Timestamp', basicTypes.timestamp],
  ['int', basicTypes.int],
  ['list', listType(anyType)],
  ['map', mapType(anyType, typeParameter('B'))],
  ['null_type', basicTypes.null],
  ['string', basicTypes.string],
  ['type', basicTypes.type],
  ['uint', basicTypes.uint],
  [optionalName, optionalType(typeParameter('V'))],
];

/** Types that expressions may name: `type(x) == int`. */
export const namedTypes: ReadonlyMap<string, CelType> = new Map(typeNames.map(([name, type]) => [name, typeOf(type)]));

/** What the checker finds for a name: a variable, or a type. */
export function lookUpName(environment: Environment, name: string): CelType | undefined {
  const plain = name.startsWith('.') ? name.slice(1) : name;
  return environment.variables.get(plain) ?? namedTypes.get(plain);
}
