import { type FieldPath, isJsonObject, type JsonValue } from '../../base/index.ts';
import type { TypedForms } from './typed.ts';

/** Something that a typed program would refuse, or drop in silence. */
export interface TypeProblem {
  readonly path: FieldPath;
  /** Undefined: the member is not known. */
  readonly expected: string | undefined;
  readonly found: string;
}

interface Place {
  readonly forms: TypedForms;
  readonly path: FieldPath;
}

function below({ forms, path }: Place, step: string | number): Place {
  return { forms, path: [...path, step] };
}

function foundText(value: JsonValue): string {
  if (Array.isArray(value)) return 'a list';
  return isJsonObject(value)
    ? 'an object'
    : `the ${typeof value === 'bigint' ? 'number' : typeof value} ${JSON.stringify(value).slice(0, 60)}`;
}

function* inspectItems(notation: string, value: JsonValue, place: Place): Iterable<TypeProblem> {
  if (!Array.isArray(value)) {
    yield { path: place.path, expected: 'a list', found: foundText(value) };
    return;
  }
  for (const [index, item] of value.entries()) yield* inspect(notation, item, below(place, index));
}

function* inspectMembers(notation: string, value: JsonValue, place: Place): Iterable<TypeProblem> {
  if (!isJsonObject(value)) {
    yield { path: place.path, expected: 'an object', found: foundText(value) };
    return;
  }
  const members = place.forms.membersOf(notation.slice(1));
  for (const [key, member = null] of Object.entries(value)) {
    const own = Object.hasOwn(members, key) ? members[key] : undefined;
    if (own === undefined) yield { path: [...place.path, key], expected: undefined, found: foundText(member) };
    else yield* inspect(own, member, below(place, key));
  }
}

function* inspect(notation: string, value: JsonValue, place: Place): Iterable<TypeProblem> {
  if (value === null) return;
  if (/^[!*]/.test(notation)) yield* inspect(notation.slice(1), value, place);
  else if (notation.startsWith('[]')) yield* inspectItems(notation.slice(2), value, place);
  else if (notation.startsWith('{}')) yield* inspectValues(notation.slice(2), value, place);
  else if (notation.startsWith('#')) yield* inspectMembers(notation, value, place);
  else {
    const expected = place.forms.expectedScalar(notation, value);
    if (expected !== undefined) yield { path: place.path, expected, found: foundText(value) };
  }
}

function* inspectValues(notation: string, value: JsonValue, place: Place): Iterable<TypeProblem> {
  if (!isJsonObject(value)) yield { path: place.path, expected: 'an object', found: foundText(value) };
  else for (const [key, member = null] of Object.entries(value)) yield* inspect(notation, member, below(place, key));
}

/** Everything in `value` that does not fit the struct called `name`, in reading order; reading it for use stops at the first. */
export function inspectTyped(forms: TypedForms, name: string, value: JsonValue): readonly TypeProblem[] {
  return [...inspect(`#${name}`, value, { forms, path: [] })];
}
