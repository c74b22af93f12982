/** The inside of the thread that asks catalogs what to choose. Started by `resolve-thread.ts`. */
import { serveJobs } from '../../base/index.ts';
import { withCatalogs } from '../catalog-thread/open-places.ts';
import { answerExtension } from '../cluster-extension/answer.ts';
import { answerNeeds, answerNext } from '../platform-operator/resolve-answers.ts';
import type { ResolverJobs } from './resolve-job.ts';

serveJobs<ResolverJobs>({
  next: ({ question, places }) => withCatalogs(places, (catalogs) => answerNext(question, catalogs)),
  needs: ({ question, places }) => withCatalogs(places, (catalogs) => answerNeeds(question, catalogs)),
  extension: ({ question, places }) => withCatalogs(places, (catalogs) => answerExtension(question, catalogs)),
});
