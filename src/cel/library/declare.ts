import {
  basicTypes,
  type CelType,
  listType,
  mapType,
  opaqueType,
  optionalType,
  structType,
  typeOf,
  typeParameter,
} from '../language/cel-type.ts';
import type { FunctionDeclaration, Implementation, Overload } from '../language/environment.ts';

type ExtensionName =
  | 'quantity'
  | 'url'
  | 'format'
  | 'ip'
  | 'cidr'
  | 'authorizer'
  | 'pathCheck'
  | 'groupCheck'
  | 'resourceCheck'
  | 'decision';

/** Types that declarations may name in addition to the basic ones. */
export const extensionTypes: Readonly<Record<ExtensionName, CelType>> = {
  quantity: structType('kubernetes.Quantity'),
  url: structType('kubernetes.URL'),
  format: structType('kubernetes.NamedFormat'),
  ip: opaqueType('net.IP'),
  cidr: opaqueType('net.CIDR'),
  authorizer: structType('kubernetes.authorization.Authorizer'),
  pathCheck: structType('kubernetes.authorization.PathCheck'),
  groupCheck: structType('kubernetes.authorization.GroupCheck'),
  resourceCheck: structType('kubernetes.authorization.ResourceCheck'),
  decision: structType('kubernetes.authorization.Decision'),
};

const named: ReadonlyMap<string, CelType> = new Map(Object.entries({ ...basicTypes, ...extensionTypes }));

function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const character = text[index];
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (index < text.length && (character !== ',' || depth > 0)) continue;
    if (index > start) parts.push(text.slice(start, index).trim());
    start = index + 1;
  }
  return parts;
}

function readType(text: string): CelType {
  const match = /^(\w+)\((.*)\)$/.exec(text);
  if (match === null) return named.get(text) ?? typeParameter(text);
  const [first = basicTypes.dyn, second = basicTypes.dyn] = splitTypes(match[2] ?? '').map((part) => readType(part));
  if (match[1] === 'list') return listType(first);
  if (match[1] === 'map') return mapType(first, second);
  return match[1] === 'optional' ? optionalType(first) : typeOf(first);
}

function genericsOf(type: CelType): string[] {
  return type.kind === 'parameter' ? [type.name] : type.parameters.flatMap((inner) => genericsOf(inner));
}

/** How calls are computed: by the name of the function, or by the id of an overload. */
export type Implementations = Readonly<Record<string, Implementation>>;

/** The parts of `target.(parameters) result`. */
function readSignature(text: string): { target: string; parameters: string; result: string } {
  const method = text.indexOf('.(');
  const start = Math.max(method, 0) + (method < 0 ? 0 : 1);
  let depth = 0;
  let end = start;
  do {
    if (text[end] === '(') depth += 1;
    if (text[end] === ')') depth -= 1;
    end += 1;
  } while (depth > 0 && end < text.length);
  return {
    target: method < 0 ? '' : text.slice(0, method),
    parameters: text.slice(start + 1, end - 1),
    result: text.slice(end + 1),
  };
}

function readOverload(line: string, implementations: Implementations): { name: string; overload: Overload } {
  const [name = '', id = '', ...rest] = line.split(' ');
  const { target, parameters: texts, result } = readSignature(rest.join(' '));
  const parameters = [...(target === '' ? [] : [target]), ...splitTypes(texts)].map((text) => readType(text));
  const own = Object.hasOwn(implementations, id) && id !== name ? implementations[id] : undefined;
  const overload = {
    id,
    isMember: target !== '',
    parameters,
    result: readType(result),
    generics: [...new Set([...parameters, readType(result)].flatMap((type) => genericsOf(type)))],
  };
  return { name, overload: own === undefined ? overload : { ...overload, call: own } };
}

/** Reads declarations, an overload a line: `function id (parameters) result`, methods as `function id target.(parameters) result`. */
export function declareFunctions(text: string, implementations: Implementations): FunctionDeclaration[] {
  const byName = new Map<string, Overload[]>();
  for (const line of text.trim().split('\n')) {
    const { name, overload } = readOverload(line, implementations);
    byName.set(name, [...(byName.get(name) ?? []), overload]);
  }
  return [...byName].map(([name, overloads]) => {
    const call = Object.hasOwn(implementations, name) ? implementations[name] : undefined;
    return call === undefined ? { name, overloads } : { name, overloads, call };
  });
}
