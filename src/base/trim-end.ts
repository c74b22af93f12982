/** The text without any `character` at its end. A regular expression such as `/-+$/` takes time with the square of a run that is not at the end. */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
