const controls = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
}

/** A text from outside as a terminal may show it: what would move its cursor, change its colours or turn the direction of writing is
 *  written out (`\x1b`). Lines and tabs stay. */
export function printable(text: string): string {
  return text.replace(controls, (character) => ('\n\t'.includes(character) ? character : escaped(character)));
}

/** As `printable`, for what is to stay one line, such as the name of a file. */
export function printableLine(text: string): string {
  return text.replace(controls, escaped);
}
