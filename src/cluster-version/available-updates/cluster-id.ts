const plain = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;
/** Lengths of the forms: with dashes, `urn:uuid:…`, `{…}`, hexadecimal digits alone. */
const lengths: ReadonlySet<number> = new Set([36, 45, 38, 32]);

/** Reads a UUID in one of the four forms that the reference takes: the usual form of it, or why it is none. */
export function parseClusterId(text: string): { readonly id: string } | { readonly problem: string } {
  if (!lengths.has(text.length)) return { problem: `invalid UUID length: ${text.length}` };
  const bare = text.replace(/^urn:uuid:/i, '').replace(/^\{(.*)\}$/, '$1');
  const match = plain.exec(bare);
  const hasDashes = bare.length === 36;
  if (match === null || (!hasDashes && bare.length !== 32)) return { problem: 'invalid UUID format' };
  return { id: match.slice(1).join('-').toLowerCase() };
}
