import { StatusError } from '../core/index.ts';
import { describePath } from './field-set.ts';
import type { ManagerEntry } from './managed-fields.ts';
import type { Conflict } from './ownership.ts';

function describeManager({ manager, operation, subresource, apiVersion }: ManagerEntry): string {
  const of = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${of}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

function messageOf(rows: readonly { readonly who: string; readonly field: string }[]): string {
  const [first] = rows;
  if (rows.length === 1) return `Apply failed with 1 conflict: conflict with ${first?.who}: ${first?.field}`;
  const blocks = Map.groupBy(rows, ({ who }) => who);
  const lines = [...blocks].flatMap(([who, fields]) => [
    `conflicts with ${who}:`,
    ...fields.map(({ field }) => `- ${field}`),
  ]);
  return `Apply failed with ${rows.length} conflicts: ${lines.join('\n')}`;
}

/** 409 that names each manager and each field that it would lose. */
export function applyConflict(conflicts: readonly Conflict[]): StatusError {
  const rows = conflicts
    .map(({ entry, fields }) => ({ who: describeManager(entry), fields: [...fields.paths()].map(describePath) }))
    .sort((a, b) => (a.who < b.who ? -1 : Number(a.who > b.who)))
    .flatMap(({ who, fields }) => fields.map((field) => ({ who, field })));
  const causes = rows.map(({ who, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${who}`,
    field,
  }));
  return new StatusError({ code: 409, reason: 'Conflict', message: messageOf(rows), details: { causes } });
}
