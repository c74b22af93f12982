import { createStore, type Store, useStore } from './store.ts';

/** Where the user is. */
export interface Place {
  /** Decoded parts of the path. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly path: string;
}

/** A part that is no encoded text is shown as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function placeOf(): Place {
  const { pathname, search } = window.location;
  const parts = pathname.split('/').filter((part) => part !== '');
  return { parts: parts.map(decoded), query: new URLSearchParams(search), path: pathname };
}

const place: Store<Place> = createStore(placeOf());

/** Goes to a path of the console. */
export function go(path: string, { isReplacing = false }: { readonly isReplacing?: boolean } = {}): void {
  if (isReplacing) window.history.replaceState(null, '', path);
  else window.history.pushState(null, '', path);
  const before = place.get().path;
  place.set(placeOf());
  if (before !== place.get().path) {
    window.scrollTo(0, 0);
    // After a dialog that leads here is closed: nothing else can have the focus while it is open.
    setTimeout(() => document.querySelector('main')?.focus({ preventScroll: true }));
  }
}

/** Sets parameters of the query; empty ones are removed. Every filter and selection is in the address. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(window.location.search);
  for (const [key, value] of Object.entries(changes)) {
    if (value === '') query.delete(key);
    else query.set(key, value);
  }
  const text = query.toString();
  go(`${window.location.pathname}${text === '' ? '' : `?${text}`}`, { isReplacing: true });
}

/** The present place. */
export function usePlace(): Place {
  return useStore(place);
}

/** Follows links of the console without loading the page again. */
export function startRouter(): void {
  window.addEventListener('popstate', () => place.set(placeOf()));
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest('a');
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (
      !link ||
      !isPlain ||
      link.origin !== window.location.origin ||
      link.target !== '' ||
      link.hash !== '' ||
      link.hasAttribute('download')
    ) {
      return;
    }
    event.preventDefault();
    go(`${link.pathname}${link.search}`);
  });
}

/** A path of parts that may have any character. */
export function pathTo(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

/** The page of an installation. */
export function installationPath(one: {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return pathTo('installed', one.kind, one.namespace === '' ? '-' : one.namespace, one.name);
}
