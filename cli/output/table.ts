import { printableLine } from '../../src/base/index.ts';

/** Columns of text, two blanks between them. */
export function formatTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [columns, ...rows.map((row) => row.map(printableLine))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, index) => cell.padEnd((widths[index] ?? 0) + 2))
          .join('')
          .trimEnd()}\n`,
    )
    .join('');
}
