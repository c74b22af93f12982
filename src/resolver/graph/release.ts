import type { CatalogBundle } from '../package.ts';
import type { InstalledBundle } from './steps.ts';

/** Orders bundles of one version: the declared release, or else the version's build metadata; '' where there is neither. */
export function releaseOf({ release, version }: CatalogBundle | InstalledBundle): string {
  return release ?? version.build.join('.');
}

function comparePart(a: string, b: string): number {
  const [isNumberA, isNumberB] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  const [left, right] = isNumberA ? [BigInt(a), BigInt(b)] : [a, b];
  return left < right ? -1 : Number(left > right);
}

/** By parts as pre-releases are compared; none is below any. */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [a, b].map((release) => (release === '' ? [] : release.split('.')));
  for (const [index, part] of (left ?? []).entries()) {
    const other = right?.[index];
    if (other === undefined) return 1;
    const order = comparePart(part, other);
    if (order !== 0) return order;
  }
  return (left ?? []).length < (right ?? []).length ? -1 : 0;
}
