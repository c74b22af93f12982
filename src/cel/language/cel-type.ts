/** What a type is made of. */
export type TypeKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'parameter'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'uint';

/** A type of the language: `int`, `list(string)`, `kubernetes.Quantity`. */
export interface CelType {
  readonly kind: TypeKind;
  readonly name: string;
  readonly parameters: readonly CelType[];
}

function simple(kind: TypeKind, name: string = kind): CelType {
  return { kind, name, parameters: [] };
}

/** The types without parameters, by their names. */
export const basicTypes: Readonly<
  Record<Exclude<TypeKind, 'list' | 'map' | 'opaque' | 'parameter' | 'struct'>, CelType>
> = {
  bool: simple('bool'),
  bytes: simple('bytes'),
  double: simple('double'),
  duration: simple('duration', 'google.protobuf.Duration'),
  dyn: simple('dyn'),
  error: simple('error', '!error!'),
  int: simple('int'),
  null: simple('null', 'null_type'),
  string: simple('string'),
  timestamp: simple('timestamp', 'google.protobuf.Timestamp'),
  type: simple('type'),
  uint: simple('uint'),
};

/** The name of the type of optional values. */
export const optionalName = 'optional_type';

/** `list(element)` */
export function listType(element: CelType): CelType {
  return { kind: 'list', name: 'list', parameters: [element] };
}

/** `map(key, value)` */
export function mapType(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', parameters: [key, value] };
}

/** The type of the type `of`. */
export function typeOf(of: CelType): CelType {
  return { kind: 'type', name: 'type', parameters: [of] };
}

/** An opaque type, which only its own functions access. */
export function opaqueType(name: string, ...parameters: readonly CelType[]): CelType {
  return { kind: 'opaque', name, parameters };
}

/** `optional_type(of)` */
export function optionalType(of: CelType): CelType {
  return opaqueType(optionalName, of);
}

/** An object with declared fields, which the environment knows by this name. */
export function structType(name: string): CelType {
  return simple('struct', name);
}

/** A placeholder in a declaration, or a type not yet known. */
export function typeParameter(name: string): CelType {
  return simple('parameter', name);
}

export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn';
}

/** `dyn`, or the type of what could not be checked. */
export function isDynOrError(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

/** The type inside an optional, or undefined. */
export function insideOptional(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === optionalName ? type.parameters[0] : undefined;
}

/** A map of what a variable is doubles a type: a few of them would make one that no one can look through. */
const maxParts = 64;

function partsOf({ parameters }: CelType, max: number): number {
  let count = 1;
  for (const one of parameters) {
    if (count > max) break;
    count += partsOf(one, max - count);
  }
  return count;
}

/** The type, where it has no more parts than those that are written by hand; others are `dyn`. */
export function bounded(type: CelType): CelType {
  return partsOf(type, maxParts) > maxParts ? basicTypes.dyn : type;
}

export function isSameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((parameter, index) => {
    const other = b.parameters[index];
    return other !== undefined && isSameType(parameter, other);
  });
}

/** A type as messages show it. */
export function formatType(type: CelType): string {
  if (type.kind === 'null' || type.kind === 'duration' || type.kind === 'timestamp') return type.kind;
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map((parameter) => formatType(parameter)).join(', ')})`;
}

/** What a call was applied to, as messages show it: `list(int).(string)` for a method. */
export function formatArguments(types: readonly CelType[], isMember: boolean): string {
  const texts = types.map((type) => formatType(type));
  const [target, ...rest] = texts;
  return isMember ? `${target}.(${rest.join(', ')})` : `(${texts.join(', ')})`;
}
