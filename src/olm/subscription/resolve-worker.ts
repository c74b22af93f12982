/** The inside of a thread that resolves the Subscriptions of namespaces. Started by `resolver.ts`. */
import { serveJobs } from '../../base/index.ts';
import { isCancelled } from '../catalog-thread/cancellation.ts';
import { withCatalogs } from '../catalog-thread/open-places.ts';
import { answerNamespace } from './answer.ts';
import type { NamespaceJobs } from './resolve-job.ts';

serveJobs<NamespaceJobs>({
  namespace: ({ question, places, cancellation }) =>
    withCatalogs(places, (catalogs) => answerNamespace(question, catalogs, () => isCancelled(cancellation))),
});
