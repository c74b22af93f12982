import { type JsonObject, objectAt, valueAt } from '../../../src/base/index.ts';

/** Where a path leads, or why it leads nowhere. */
export type FieldPathResult =
  | { readonly names: readonly string[]; readonly node: JsonObject }
  | { readonly problem: string };

interface Tokens {
  next(): string | undefined;
}

/** The parts of a path: `.`, `[`, `]`, texts in single quotes, and what is between them. */
function tokensOf(path: string): Tokens {
  const parts = path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs) ?? [];
  let index = 0;
  return { next: () => parts[index++] };
}

interface Step {
  readonly names: string[];
  readonly node: JsonObject;
}

function descend({ names, node }: Step, name: string): Step | string {
  if (objectAt(node, 'properties') !== undefined) {
    const property = objectAt(node, 'properties', name);
    return property === undefined ? 'does not refer to a valid field' : { names: [...names, name], node: property };
  }
  if (valueAt(node, 'additionalProperties') === undefined) return 'does not refer to a valid field';
  return { names: [...names, name], node: objectAt(node, 'additionalProperties') ?? {} };
}

function inBrackets(tokens: Tokens, step: Step): Step | string {
  const name = tokens.next();
  if (name === undefined) return 'unexpected end of JSON path';
  if (!/^'.*'$/s.test(name)) return `expected single quoted string but got ${name}`;
  const next = descend(step, name.slice(1, -1).replaceAll(/\\(.)/gs, '$1'));
  if (typeof next === 'string') return next;
  const end = tokens.next();
  if (end === undefined) return 'unexpected end of JSON path';
  return end === ']' ? next : `expected ] but got ${end}`;
}

/** Follows a path such as `.spec.color` or `.spec['a-b']` through a schema. */
export function followFieldPath(
  path: string,
  root: JsonObject,
  options: { readonly hasBrackets: boolean },
): FieldPathResult {
  const tokens = tokensOf(path);
  let step: Step = { names: [], node: root };
  for (let token = tokens.next(); token !== undefined; token = tokens.next()) {
    let next: Step | string;
    if (token === '[') next = options.hasBrackets ? inBrackets(tokens, step) : 'array notation is not allowed';
    else if (token === '.') next = afterDot(tokens, step);
    else next = `expected [ or . but got: ${token}`;
    if (typeof next === 'string') return { problem: next };
    step = next;
  }
  return step;
}

function afterDot(tokens: Tokens, step: Step): Step | string {
  const name = tokens.next();
  return name === undefined ? 'unexpected end of JSON path' : descend(step, name);
}
