const maxNameBytes = 63;

/** `base-suffix`, the base cut so that the whole has 63 bytes; 64 when the two are exactly 63 long together.
 *  @see docs/spec/registry-v1-rendering.md#joining-base-and-suffix */
export function joinName(base: string, suffix: string): string {
  const bytes = Buffer.from(base);
  const suffixBytes = Buffer.byteLength(suffix);
  if (bytes.length + suffixBytes <= maxNameBytes) return `${base}-${suffix}`;
  return `${bytes.subarray(0, Math.max(0, maxNameBytes - suffixBytes - 1)).toString()}-${suffix}`;
}
