/** Steps of a rotation before another permutation follows. */
const rotations = 8;

/** Rotates a list to the left by `step` of `of` steps. */
export function rotate<T>(items: readonly T[], step: number, of: number): T[] {
  if (items.length < 2) return [...items];
  const by = items.length >= of ? Math.floor((step * items.length) / of) : step;
  const shift = by % items.length;
  return [...items.slice(shift), ...items.slice(0, shift)];
}

/** Numbers below 1 that follow from a seed (splitmix32). */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
  };
}

/** The order of a round of reconciliation: the same permutation for eight attempts, rotated in each, so that every part comes first in turn.
 *  @see docs/spec/cluster-version.md#building */
export function shuffleAndRotate<T>(items: readonly T[], attempt: number): T[] {
  const shuffled = [...items];
  const random = randomNumbers(Math.floor(attempt / rotations));
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return rotate(shuffled, attempt % rotations, rotations);
}
