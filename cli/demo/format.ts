import { isJsonObject, type JsonObject } from '../../src/base/index.ts';

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** The first column is the name. */
function withLabel(table: Table, label: string | undefined): Table {
  if (label === undefined) return table;
  const rows = table.rows.map(({ cells: [name, ...rest] }) => ({ cells: [`${label}/${String(name)}`, ...rest] }));
  return { ...table, rows };
}

/** A Table of the API as kubectl prints it, with a line break at its end; empty for a table without rows.
 *  `label` stands before each name, as kubectl does it where several kinds are asked for. */
export function formatTable(
  body: unknown,
  options: { readonly isWide?: boolean; readonly label?: string } = {},
): string {
  const table = withLabel(body as Table, options.label);
  if (table.rows.length === 0) return '';
  const shown = table.columnDefinitions
    .map((column, index) => ({ ...column, index }))
    .filter((column) => column.priority === 0 || options.isWide === true);
  const text = (cell: unknown): string => (cell === null || cell === undefined ? '' : String(cell as string | number));
  const lines = [
    shown.map((column) => column.name.toUpperCase()),
    ...table.rows.map((row) => shown.map((column) => text(row.cells[column.index]))),
  ];
  const widths = shown.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)) + 3);
  const format = (line: string[]): string =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('')
      .trimEnd();
  return `${lines.map(format).join('\n')}\n`;
}

function step(value: unknown, part: string): unknown {
  if (Array.isArray(value)) return (value as unknown[])[Number(part)];
  const filter = /^(\w+)\[\?\(@\.(\w+)=="([^"]*)"\)\]$/.exec(part);
  const member = isJsonObject(value) ? value[filter?.[1] ?? part] : undefined;
  if (filter === null || !Array.isArray(member)) return member;
  return (member as JsonObject[]).find((item) => item[filter[2] ?? ''] === filter[3]);
}

/** The value at a JSONPath such as `{.status.conditions[?(@.type=="Ready")].message}`, as kubectl prints it, with a line break. */
export function readJsonPath(path: string, body: unknown): string {
  const expression = /^\{\.?([^}]*)\}/.exec(path)?.[1] ?? '';
  const parts = expression.match(/\w+\[\?\([^)]*\)\]|\w+/g) ?? [];
  const value = parts.reduce<unknown>((current, part) => step(current, part), body);
  if (value === undefined) return '\n';
  return `${typeof value === 'object' ? JSON.stringify(value) : String(value as string)}\n`;
}
