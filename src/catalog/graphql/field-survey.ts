import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';

/** What a member of documents holds; `json`: something that is shown as a text. */
export type FieldType = 'text' | 'integer' | 'number' | 'boolean' | 'json';

/** A member of the documents of a schema, as it may be asked for. */
export interface SurveyedField {
  /** As in the documents. */
  readonly key: string;
  /** As in queries. */
  readonly name: string;
  readonly type: FieldType;
  readonly isList: boolean;
  /** Of lists of objects: what these have, never opened further. */
  readonly members?: readonly SurveyedField[];
}

/** The documents of a schema. */
export interface SurveyedSchema {
  readonly schema: string;
  /** The field that lists them: `olmbundles`. */
  readonly root: string;
  readonly count: number;
  readonly fields: readonly SurveyedField[];
}

/** Schemas, and members of one, beyond this are not to be asked for. */
const maxSchemas = 100;
const maxFields = 200;
const maxKeyCharacters = 100;

interface Notes {
  type: FieldType | undefined;
  isList: boolean | undefined;
  members: Map<string, Notes> | undefined;
}

/** `related-images` → `relatedImages`; empty when nothing is left that a query can name. */
function fieldName(key: string): string {
  const [first = '', ...rest] = key.split(/[^a-zA-Z0-9]+/).filter((part) => part !== '');
  const name = `${first.charAt(0).toLowerCase()}${first.slice(1)}${rest.map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}`).join('')}`;
  return /^[0-9]/.test(name) ? `field${name}` : name;
}

function rootName(schema: string): string {
  const letters = schema.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return `${/^[0-9]/.test(letters) ? 'schema' : ''}${letters}s`;
}

function typeOf(value: JsonValue): FieldType {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value !== 'number') return 'json';
  return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? 'integer' : 'number';
}

/** Of values that differ; undefined is nothing yet. */
function joined(a: FieldType | undefined, b: FieldType): FieldType {
  if (a === undefined || a === b) return b;
  const numbers: readonly FieldType[] = ['integer', 'number'];
  return numbers.includes(a) && numbers.includes(b) ? 'number' : 'json';
}

function noteScalar(notes: Notes, value: JsonValue, isList: boolean): void {
  notes.type = notes.isList === undefined || notes.isList === isList ? joined(notes.type, typeOf(value)) : 'json';
  notes.isList ??= isList;
  if (notes.isList !== isList) notes.isList = false;
}

function note(found: Map<string, Notes>, object: JsonObject, isOpened: boolean): void {
  for (const [key, value] of Object.entries(object)) {
    if (key.length > maxKeyCharacters || value === null || value === undefined) continue;
    let notes = found.get(key);
    if (notes === undefined) {
      if (found.size >= maxFields) continue;
      notes = { type: undefined, isList: undefined, members: undefined };
      found.set(key, notes);
    }
    if (!Array.isArray(value) || !isOpened) noteScalar(notes, value, false);
    else for (const item of value) noteItem(notes, item);
  }
}

function noteItem(notes: Notes, item: JsonValue): void {
  noteScalar(notes, item, true);
  if (!isJsonObject(item)) return;
  notes.members ??= new Map();
  note(notes.members, item, false);
}

function fieldOf(key: string, name: string, { type = 'json', isList = false, members }: Notes): SurveyedField {
  const opened = type === 'json' && isList ? fieldsOf(members ?? new Map()) : [];
  return { key, name, type, isList, ...(opened.length === 0 ? {} : { members: opened }) };
}

function fieldsOf(found: ReadonlyMap<string, Notes>): SurveyedField[] {
  const taken = new Set<string>();
  const fields: SurveyedField[] = [];
  for (const [key, notes] of found) {
    const name = fieldName(key);
    // Of two that come to one name the first is to be had.
    if (name === '' || taken.has(name)) continue;
    taken.add(name);
    fields.push(fieldOf(key, name, notes));
  }
  return fields;
}

/** Finds out, document by document, what there is to ask for in a catalog. Keeps names and types only. */
export class FieldSurvey {
  readonly #schemas = new Map<string, { count: number; readonly found: Map<string, Notes> }>();

  add(schema: string, value: JsonObject): void {
    let known = this.#schemas.get(schema);
    if (known === undefined) {
      if (this.#schemas.size >= maxSchemas || schema.length > maxKeyCharacters) return;
      known = { count: 0, found: new Map() };
      this.#schemas.set(schema, known);
    }
    known.count += 1;
    note(known.found, value, true);
  }

  /** By schema. */
  finish(): readonly SurveyedSchema[] {
    const roots = new Set<string>();
    const all = [...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return all.flatMap(([schema, { count, found }]): SurveyedSchema[] => {
      const root = rootName(schema);
      const fields = fieldsOf(found);
      if (roots.has(root) || fields.length === 0) return [];
      roots.add(root);
      return [{ schema, root, count, fields }];
    });
  }
}
