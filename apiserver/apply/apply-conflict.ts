import { StatusError } from '../core/index.ts';
import { describePath } from './field-set.ts';
import type { ManagerEntry } from './managed-fields.ts';
import type { Conflict } from './ownership.ts';

function describeManager({ manager, operation, subresource, apiVersion }: ManagerEntry): string {
  const of = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${of}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

interface Row {
  readonly who: string;
  readonly field: string;
}

function messageOf(rows: readonly Row[]): string {
  const [first] = rows;
  if (rows.length === 1) return `Apply failed with 1 conflict: conflict with ${first?.who}: ${first?.field}`;
  const blocks = Map.groupBy(rows, ({ who }) => who);
  const lines = [...blocks].flatMap(([who, fields]) => [
    `conflicts with ${who}:`,
    ...fields.map(({ field }) => `- ${field}`),
  ]);
  return `Apply failed with ${rows.length} conflicts: ${lines.join('\n')}`;
}

/** Of the texts of an error: there may be very many fields, each named with all that it is in. */
const maxCharacters = 1024 * 1024;

function rowsOf(conflicts: readonly Conflict[]): Row[] {
  const rows: Row[] = [];
  const named = conflicts.map(({ entry, fields }) => ({ who: describeManager(entry), fields }));
  let left = maxCharacters;
  for (const { who, fields } of named.sort((a, b) => (a.who < b.who ? -1 : Number(a.who > b.who)))) {
    for (const path of fields.paths()) {
      if (left <= 0) return rows;
      const field = describePath(path);
      left -= who.length + field.length;
      rows.push({ who, field });
    }
  }
  return rows;
}

/** 409 that names each manager and each field that it would lose; of very many the first. */
export function applyConflict(conflicts: readonly Conflict[]): StatusError {
  const rows = rowsOf(conflicts);
  const causes = rows.map(({ who, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${who}`,
    field,
  }));
  return new StatusError({ code: 409, reason: 'Conflict', message: messageOf(rows), details: { causes } });
}
