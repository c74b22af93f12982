import type { Row } from './table.ts';

/** A text as a cell of a table. */
function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}

/** The scenario of a row, with its note. */
export function explained({ scenario, note, absent }: Row): string {
  const remark = note ?? absent;
  return cell(remark === undefined ? scenario : `${scenario}<br>*${remark}*`);
}

/** Links from a page in `docs/` to files, each once, sorted. */
export function links(files: readonly string[]): string {
  return [...new Set(files)]
    .toSorted()
    .map((file) => `[${file.replace(/.*\//, '')}](../${file})`)
    .join(', ');
}
