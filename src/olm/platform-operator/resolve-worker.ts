/** The inside of the thread that asks catalogs what to choose. Started by `resolve-thread.ts`. */
import { serveJobs } from '../../base/index.ts';
import { withCatalogs } from '../catalog-thread/open-places.ts';
import { answerNeeds, answerNext } from './resolve-answers.ts';
import type { ResolverJobs } from './resolve-job.ts';

serveJobs<ResolverJobs>({
  next: ({ question, places }) => withCatalogs(places, (catalogs) => answerNext(question, catalogs)),
  needs: ({ question, places }) => withCatalogs(places, (catalogs) => answerNeeds(question, catalogs)),
});
