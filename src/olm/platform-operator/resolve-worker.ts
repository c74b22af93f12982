/** The inside of the thread that asks catalogs what to choose, one question after the other. Started by `resolve-thread.ts`. */
import { parentPort } from 'node:worker_threads';
import { packError, TransientError } from '../../base/index.ts';
import { type CatalogIndex, openCatalogIndex } from '../../catalog/index.ts';
import type { CatalogPlace } from '../cluster-catalog/catalog-store.ts';
import type { FromResolver, ToResolver } from './resolve-job.ts';
import { answerNeeds, answerNext } from './study.ts';

function open({ file, ...identity }: CatalogPlace): CatalogIndex {
  try {
    return openCatalogIndex(file, identity);
  } catch (thrown) {
    const isGone = thrown instanceof Error && (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isGone) throw thrown;
    throw new TransientError('CatalogReplaced', `catalog ${identity.name} was replaced just now`, { cause: thrown });
  }
}

function answer({ places, ...asked }: Exclude<ToResolver, 'end'>): FromResolver {
  using stack = new DisposableStack();
  const catalogs = places.map((place) => stack.use(open(place)));
  return {
    kind: 'done',
    answer: asked.kind === 'next' ? answerNext(asked.question, catalogs) : answerNeeds(asked.question, catalogs),
  };
}

function tryAnswer(job: Exclude<ToResolver, 'end'>): FromResolver {
  try {
    return answer(job);
  } catch (thrown) {
    return { kind: 'failed', error: packError(thrown) };
  }
}

parentPort?.on('message', (message: ToResolver) => {
  if (message === 'end') parentPort?.close();
  else parentPort?.postMessage(tryAnswer(message));
});
