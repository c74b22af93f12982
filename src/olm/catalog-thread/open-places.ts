import { TransientError } from '../../base/index.ts';
import { type CatalogIdentity, type CatalogIndex, openCatalogIndex } from '../../catalog/index.ts';
import type { CatalogView } from '../../resolver/index.ts';

/** The index of a catalog, as a thread opens it: plain data. */
export interface IndexPlace extends CatalogIdentity {
  /** Deleted when the catalog has another one. */
  readonly file: string;
}

function open({ file, ...identity }: IndexPlace): CatalogIndex {
  try {
    return openCatalogIndex(file, identity);
  } catch (thrown) {
    const isMissing = thrown instanceof Error && (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing) throw thrown;
    throw new TransientError('CatalogReplaced', `catalog ${identity.name} was replaced just now`, { cause: thrown });
  }
}

/** Opens the catalogs for as long as `answer` takes.
 *  @throws TransientError CatalogReplaced */
export function withCatalogs<T>(places: readonly IndexPlace[], answer: (catalogs: readonly CatalogView[]) => T): T {
  using stack = new DisposableStack();
  return answer(places.map((place) => stack.use(open(place))));
}
