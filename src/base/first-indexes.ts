/** Where each different item of a list stands first. An item is there before when its own index is higher. */
export function firstIndexes<T>(items: readonly T[]): ReadonlyMap<T, number> {
  const first = new Map<T, number>();
  for (const [index, item] of items.entries()) if (!first.has(item)) first.set(item, index);
  return first;
}

/** The first item that stands in the list before already. */
export function firstRepeated<T>(items: readonly T[]): T | undefined {
  const first = firstIndexes(items);
  return items.find((item, index) => isRepeated(first, item, index));
}

/** Whether the item at an index stands in the list before it, by the `firstIndexes` of the list. In a long list `indexOf` takes the square of its items. */
export function isRepeated<T>(first: ReadonlyMap<T, number>, item: T, index: number): boolean {
  return (first.get(item) ?? index) < index;
}
