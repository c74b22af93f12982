import type { JsonValue } from './json.ts';

/** Whether a value is written in about so many characters or fewer where each member, and each line of a text, is indented as deep as it is: what is deep may
 *  be hundreds of times as long as its JSON. Looks no further than that. */
export function isShortIndented(root: JsonValue, maxCharacters: number): boolean {
  const pending: { readonly value: JsonValue; readonly indent: number }[] = [{ value: root, indent: 0 }];
  let left = maxCharacters;
  for (let next = pending.pop(); next !== undefined && left >= 0; next = pending.pop()) {
    const { value, indent } = next;
    left -= indent + 4;
    if (typeof value === 'string') left -= linesLength(value, { indent, most: left });
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member = null] of Object.entries(value)) {
      left -= key.length;
      pending.push({ value: member, indent: indent + 2 });
    }
  }
  return left >= 0;
}

/** Of the lines of a text; no more than is needed to see that it is too much. */
function linesLength(text: string, { indent, most }: { readonly indent: number; readonly most: number }): number {
  let length = text.length;
  for (let at = text.indexOf('\n'); at >= 0 && length <= most; at = text.indexOf('\n', at + 1)) length += indent;
  return length;
}

/** Of a text in pretty form, in characters, roughly. */
const maxPrettyCharacters = 4 * 1024 * 1024;

/** JSON for people; as it stands where indentation would make it very long. */
export function formatPrettyJson(value: JsonValue): string {
  return JSON.stringify(value, undefined, isShortIndented(value, maxPrettyCharacters) ? 2 : undefined);
}
