/** Columns as Go's tabwriter aligns them; the last cell of a line is no column. */
export function tabbed(
  rows: readonly (readonly string[])[],
  { minWidth, padding }: { readonly minWidth: number; readonly padding: number },
): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.slice(0, -1).entries()) {
      widths[index] = Math.max(widths[index] ?? minWidth, cell.length + padding);
    }
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('');
  return rows.map((row) => `${line(row)}\n`).join('');
}
