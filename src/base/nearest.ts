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

/** Edits that still are a slip of the keyboard, not another word. */
function maxEdits(word: string): number {
  return Math.max(1, Math.floor(word.length / 4));
}

/** The candidate that `word` was probably meant to be: begun with it, with it between hyphens, or one edit for each four letters away at most;
 *  undefined when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const edits = (candidate: string): number => {
    if (word.length >= 3 && candidate.startsWith(word)) return 0.5;
    if (word.length >= 3 && candidate.split('-').includes(word)) return 0.75;
    return distance(word.slice(0, 64), candidate);
  };
  const ranked = candidates.map((candidate) => ({ candidate, edits: edits(candidate) }));
  const [best] = ranked.sort((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= maxEdits(word) ? best.candidate : undefined;
}
