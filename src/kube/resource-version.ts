const decimal = /^(?:0|[1-9]\d*)$/;

/** Negative when `a` is older than `b`, 0 when they are equal. Undefined when the order is unknown: only versions that are decimal integers can be
 *  compared, and they may be too large for a JavaScript number.
 *  @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
