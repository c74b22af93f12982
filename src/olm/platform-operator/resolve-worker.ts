/** The inside of the thread that asks catalogs what to choose. Started by `resolve-thread.ts`. */
import { serveJobs, TransientError } from '../../base/index.ts';
import { type CatalogIndex, openCatalogIndex } from '../../catalog/index.ts';
import type { CatalogView } from '../../resolver/index.ts';
import type { CatalogPlace } from '../catalog-content/catalog-store.ts';
import { answerNeeds, answerNext } from './resolve-answers.ts';
import type { ResolverJobs } from './resolve-job.ts';

function open({ file, ...identity }: CatalogPlace): CatalogIndex {
  try {
    return openCatalogIndex(file, identity);
  } catch (thrown) {
    const isMissing = thrown instanceof Error && (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing) throw thrown;
    throw new TransientError('CatalogReplaced', `catalog ${identity.name} was replaced just now`, { cause: thrown });
  }
}

function withCatalogs<T>(places: readonly CatalogPlace[], answer: (catalogs: readonly CatalogView[]) => T): T {
  using stack = new DisposableStack();
  return answer(places.map((place) => stack.use(open(place))));
}

serveJobs<ResolverJobs>({
  next: ({ question, places }) => withCatalogs(places, (catalogs) => answerNext(question, catalogs)),
  needs: ({ question, places }) => withCatalogs(places, (catalogs) => answerNeeds(question, catalogs)),
});
