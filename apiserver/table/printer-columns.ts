import { formatAge, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { KubeObject, TableColumn } from '../core/index.ts';
import { parseJsonPath } from './json-path.ts';

/** The first column of every table. */
export const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  priority: 0,
  cell: (object) => object.metadata.name ?? '',
};

function sortedKeys(_key: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '<nil>';
  return Array.isArray(value) || isJsonObject(value) ? JSON.stringify(value, sortedKeys) : String(value);
}

function cellOf(type: TableColumn['type'], value: JsonValue, nowMs: number): JsonValue {
  switch (type) {
    case 'string':
      return textOf(value);
    case 'date':
      return typeof value === 'string' ? formatAge(value, nowMs) : null;
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
  }
}

const types: readonly string[] = ['string', 'integer', 'number', 'boolean', 'date'];

function textMember(column: JsonObject, name: string): string {
  const value = column[name];
  return typeof value === 'string' ? value : '';
}

function columnOf(column: JsonObject): TableColumn {
  const path = textMember(column, 'jsonPath');
  const find = parseJsonPath(path);
  const named = textMember(column, 'type');
  const type = (types.includes(named) ? named : 'string') as TableColumn['type'];
  const priority = column['priority'];
  return {
    name: textMember(column, 'name'),
    type,
    format: textMember(column, 'format'),
    description: textMember(column, 'description') || `Custom resource definition column (in JSONPath format): ${path}`,
    priority: typeof priority === 'number' ? priority : 0,
    cell: (object: KubeObject, nowMs: number) => {
      const [first] = find?.(object as JsonObject) ?? [];
      return first === undefined ? null : cellOf(type, first, nowMs);
    },
  };
}

const ageColumn: JsonObject = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'When the object was created.',
};

/** Each costs a search of every object. */
const maxColumns = 100;

/** The columns of a custom resource: Name, then `additionalPrinterColumns`, or Age where there are none; at most 100. What a path does not
 *  find, or is not of the column's type, is a null cell; a path that cannot be read gives null cells. */
export function columnsOfPrinterColumns(printerColumns: readonly JsonObject[] | undefined): TableColumn[] {
  const declared = printerColumns === undefined || printerColumns.length === 0 ? [ageColumn] : printerColumns;
  return [nameColumn, ...declared.slice(0, maxColumns).map(columnOf)];
}
