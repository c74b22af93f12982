import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PackageRow } from '../../server/wire.ts';
import { pathTo } from '../lib/router.ts';

/** The icon of a package in a fixed box; its first letter where it has none. An image never runs a script. */
export function Logo({ row }: { readonly row: PackageRow }): JSX.Element {
  const namespace = row.catalogNamespace === '' ? '-' : row.catalogNamespace;
  const source = pathTo('api', 'icons', namespace, row.catalog, row.name);
  const [missing, setMissing] = useState('');
  const isImage = row.hasIcon && missing !== source;
  return (
    <span class="logo" aria-hidden="true">
      {isImage ? (
        <img src={source} alt="" loading="lazy" onError={() => setMissing(source)} />
      ) : (
        row.title.slice(0, 1).toUpperCase()
      )}
    </span>
  );
}
