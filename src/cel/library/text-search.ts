/** The position of a text in another one, in linear time: JavaScript engines take the product of both lengths for hostile texts. */

/** A text by its characters, or by its code units. */
type Characters = ArrayLike<string>;

/** For each end of a beginning of `part`: how long the longest shorter beginning is that ends there too. */
function bordersOf(part: Characters): Uint32Array {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let index = 1; index < part.length; index += 1) {
    while (length > 0 && part[index] !== part[length]) length = borders[length - 1] ?? 0;
    if (part[index] === part[length]) length += 1;
    borders[index] = length;
  }
  return borders;
}

/** All places of `part`, which is not empty, from `from` on; none of them overlap. */
function* placesOf(text: Characters, part: Characters, from = 0): Generator<number> {
  const borders = bordersOf(part);
  let length = 0;
  for (let index = from; index < text.length; index += 1) {
    while (length > 0 && text[index] !== part[length]) length = borders[length - 1] ?? 0;
    if (text[index] === part[length]) length += 1;
    if (length < part.length) continue;
    yield index + 1 - length;
    length = 0;
  }
}

/** The first place of `part`, which is not empty, from `from` on; -1 when there is none. */
export function findFirst(text: Characters, part: Characters, from = 0): number {
  for (const place of placesOf(text, part, from)) return place;
  return -1;
}

/** What stands between the places of `separator`, which is not empty. */
export function splitAt(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const place of placesOf(text, separator)) {
    parts.push(text.slice(start, place));
    start = place + separator.length;
  }
  return [...parts, text.slice(start)];
}
