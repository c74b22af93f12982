import type { JSX } from 'preact';
import { setQuery, usePlace } from '../lib/router.ts';
import { Icon } from './icon.tsx';

/** The words that a list is filtered by, in the address of the page. */
export function SearchField({ label }: { readonly label: string }): JSX.Element {
  const { query } = usePlace();
  return (
    <div class="search">
      <Icon name="search" />
      <input
        type="search"
        data-key="search"
        placeholder={label}
        aria-label={label}
        value={query.get('q') ?? ''}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
      />
    </div>
  );
}
