/** A word of a command line. What it has of others, as an address that someone sent has, stays one word. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The line that a user types for a merge patch. */
export function patchLine(
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
  patch: unknown,
): string {
  const place = namespace === '' ? '' : ` -n ${shellWord(namespace)}`;
  const target = `${shellWord(kind.toLowerCase())} ${shellWord(name)}${place}`;
  return `kubectl patch ${target} --type merge -p ${shellWord(JSON.stringify(patch))}`;
}
