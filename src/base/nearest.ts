/** Edits (insert, delete, replace, swap of neighbours) from `a` to `b`: row by row, each from the two before it. */
function distance(a: string, b: string): number {
  let older: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = cell(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a.slice(Math.max(0, i - 2), i) === `${b[j - 1]}${b[j - 2]}`;
      const swap = isSwap ? cell(older, j - 2) + 1 : change;
      next.push(Math.min(cell(row, j) + 1, cell(next, j - 1) + 1, change, swap));
    }
    [older, row] = [row, next];
  }
  return cell(row, b.length);
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}

/** The candidate that `word` was probably meant to be: begun with it, or a third of its letters away at most; undefined when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const isBegun = (candidate: string): boolean => word.length >= 3 && candidate.startsWith(word);
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: isBegun(candidate) ? 0.5 : distance(word.slice(0, 64), candidate) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best !== undefined && best.edits <= Math.max(1, Math.ceil(word.length / 3)) ? best.candidate : undefined;
}
