import type { Schema } from '../../../src/schema/index.ts';

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unquote(text: string): string | undefined {
  let isGood = true;
  const result = text.replaceAll(/\\([\s\S])/g, (_all, letter: string) => {
    isGood &&= Object.hasOwn(escapes, letter);
    return escapes[letter] ?? '';
  });
  return isGood ? result : undefined;
}

const step = /\.([^.[\]']+)|\['((?:[^'\\]|\\[\s\S])*)'\]/gy;

interface Place {
  readonly path: string;
  readonly schema: Schema;
}

function descend({ path, schema }: Place, name: string): Place | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined) {
    const next = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return next === undefined ? undefined : { path: path === '' ? name : `${path}.${name}`, schema: next };
  }
  return typeof additionalProperties === 'object'
    ? { path: `${path}[${name}]`, schema: additionalProperties }
    : undefined;
}

/** The field that a rule's `fieldPath` names, as error messages write it; undefined when the schema has no such field. */
export function resolveFieldPath(fieldPath: string, schema: Schema): string | undefined {
  let place: Place | undefined = { path: '', schema };
  let length = 0;
  for (const match of fieldPath.matchAll(step)) {
    const name = match[1] ?? unquote(match[2] ?? '');
    if (name === undefined || place === undefined) return undefined;
    place = descend(place, name);
    length += match[0].length;
  }
  return length === fieldPath.length && length > 0 ? place?.path : undefined;
}
