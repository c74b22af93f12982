/** The inside of the thread that resolves the Subscriptions of namespaces. Started by `resolver.ts`. */
import { serveJobs } from '../../base/index.ts';
import { withCatalogs } from '../catalog-thread/open-places.ts';
import { answerNamespace } from './answer.ts';
import type { NamespaceJobs } from './resolve-job.ts';

serveJobs<NamespaceJobs>({
  namespace: ({ question, places }) => withCatalogs(places, (catalogs) => answerNamespace(question, catalogs)),
});
