const goEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
  '\u0007': '\\a',
};

const unprintable = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const known = goEscapes[character];
  if (known !== undefined) return known;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A text in double quotes as Go's `%q` prints it. */
export function goQuote(text: string): string {
  return `"${text.replaceAll(unprintable, escape)}"`;
}
