import { TransientError } from '../../base/index.ts';

/** What the indexes of catalogs take on disk. */
export interface StoreUse {
  readonly all: number;
  /** Of all namespaces but the global one. */
  readonly tenants: number;
  readonly namespace: number;
}

/** Of the store, in fractions: what one namespace may have, and what all may have but the global one, whose catalogs are for everybody. */
const namespaceShare = 1 / 4;
const tenantShare = 1 / 2;

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** Asserts that a catalog of the namespace may be stored: no namespace takes all the disk.
 *  @throws TransientError StoreFull */
export function assertStoreRoom(
  use: StoreUse,
  limitBytes: number,
  { namespace, isGlobal }: { readonly namespace: string; readonly isGlobal: boolean },
): void {
  const rows = [
    { used: use.all, share: 1, what: 'all catalogs', isExempt: false },
    { used: use.tenants, share: tenantShare, what: 'the catalogs outside of the global namespace', isExempt: isGlobal },
    { used: use.namespace, share: namespaceShare, what: `the catalogs of namespace ${namespace}`, isExempt: isGlobal },
  ];
  const full = rows.findLast(({ used, share, isExempt }) => !isExempt && used >= limitBytes * share);
  if (full === undefined) return;
  const { used, share, what } = full;
  const text = `${what} take ${mebibytes(used)} on disk, the limit is ${mebibytes(limitBytes * share)}: delete CatalogSources that are not needed`;
  throw new TransientError('StoreFull', text);
}
