/** Rows that something takes up, both included. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** A lane for each span, from 0, such that spans of one lane have no row in common: short ones get the inner lanes. */
export function assignLanes(spans: readonly Span[]): readonly number[] {
  const order = spans.map((_, index) => index);
  const lengthOf = (index: number): number => (spans[index]?.last ?? 0) - (spans[index]?.first ?? 0);
  order.sort((a, b) => lengthOf(a) - lengthOf(b) || (spans[a]?.first ?? 0) - (spans[b]?.first ?? 0));
  const lanes: Span[][] = [];
  const assigned: number[] = spans.map(() => 0);
  for (const index of order) {
    const span = spans[index];
    if (span === undefined) continue;
    const isFree = (lane: readonly Span[]): boolean =>
      lane.every((other) => other.last < span.first || other.first > span.last);
    const free = lanes.findIndex(isFree);
    const lane = free < 0 ? lanes.length : free;
    lanes[lane] = [...(lanes[lane] ?? []), span];
    assigned[index] = lane;
  }
  return assigned;
}
