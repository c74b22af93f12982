import { catalogProblem } from '../../src/installations/index.ts';
import { isForbidden, type KubeClient } from '../../src/kube/index.ts';
import { listCatalogSources } from './objects.ts';

/** What is wrong with the catalogs of the cluster, a line each, as far as the user may read them. */
export async function catalogProblems(kube: KubeClient): Promise<readonly string[]> {
  try {
    return (await listCatalogSources(kube)).flatMap((source) => catalogProblem(source) ?? []);
  } catch (thrown) {
    if (isForbidden(thrown)) return [];
    throw thrown;
  }
}
