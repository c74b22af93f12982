import type { CatalogIndex } from '../../catalog/index.ts';
import type { CatalogView } from '../../resolver/index.ts';
import type { CatalogPlace, CatalogStore } from '../catalog-content/catalog-store.ts';

/** Catalogs as they are served, held until they are released, even if they are replaced meanwhile. */
export interface HeldCatalogs extends Disposable {
  /** Higher priorities first, then by name. */
  readonly catalogs: readonly CatalogView[];
  /** Where the same may be read by another thread. */
  readonly places: readonly CatalogPlace[];
  /** The image that a catalog is from, by digest. */
  imageOf(name: string): string | undefined;
}

/** What may be chosen from. */
export interface CatalogViews {
  /** All catalogs that are served now. */
  hold(): HeldCatalogs;
  /** Called when one has come, changed or gone; must not work: enqueue. */
  subscribe(listener: () => void): Disposable;
}

function byPreference(a: CatalogIndex, b: CatalogIndex): number {
  return b.priority - a.priority || (a.name < b.name ? -1 : 1);
}

/** The views of what is stored. */
export function viewsOf(store: CatalogStore): CatalogViews {
  return {
    hold: () => {
      const found = store.names().map((name) => store.index(name));
      const catalogs = found.filter((index) => index !== undefined).toSorted(byPreference);
      const uses = catalogs.map((index) => index.use());
      const images = new Map(catalogs.map(({ name }) => [name, store.find(name)?.ref]));
      return {
        catalogs,
        places: catalogs.flatMap(({ name }) => store.placeOf(name) ?? []),
        imageOf: (name) => images.get(name),
        [Symbol.dispose]: () => {
          for (const use of uses) use[Symbol.dispose]();
        },
      };
    },
    subscribe: (listener) => store.subscribe(listener),
  };
}
