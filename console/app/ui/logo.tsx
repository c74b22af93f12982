import type { JSX } from 'preact';
import type { PackageRow } from '../../server/wire.ts';
import { pathTo } from '../lib/router.ts';

/** The icon of a package in a fixed box; its first letter where it has none. An image never runs a script. */
export function Logo({ row }: { readonly row: PackageRow }): JSX.Element {
  const source = pathTo(
    'api',
    'icons',
    row.catalogNamespace === '' ? '-' : row.catalogNamespace,
    row.catalog,
    row.name,
  );
  return (
    <span class="logo" aria-hidden="true">
      {row.hasIcon ? <img src={source} alt="" loading="lazy" /> : row.title.slice(0, 1).toUpperCase()}
    </span>
  );
}
