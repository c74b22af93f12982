import type { CatalogSource } from '../../src/api/index.ts';
import { isForbidden, type KubeClient } from '../../src/kube/index.ts';
import { listCatalogSources } from './objects.ts';

/** What a CatalogSource reports of its content. */
export function catalogState({ status }: CatalogSource): string {
  return status?.connectionState?.lastObservedState ?? status?.reason ?? 'not connected yet';
}

/** Why the content of a CatalogSource cannot be used, or is not the newest; undefined where nothing is wrong. */
export function catalogProblem(source: CatalogSource): string | undefined {
  const { metadata, status } = source;
  const { reason = '', message = '' } = status ?? {};
  const state = catalogState(source);
  if (message === '' && state === 'READY') return undefined;
  const why = message === '' ? '' : `: ${reason === '' ? '' : `${reason}, `}${message}`;
  return `CatalogSource ${metadata.namespace}/${metadata.name} is ${state}${why}`;
}

/** What is wrong with the catalogs of the cluster, a line each, as far as the user may read them. */
export async function catalogProblems(kube: KubeClient): Promise<readonly string[]> {
  try {
    return (await listCatalogSources(kube)).flatMap((source) => catalogProblem(source) ?? []);
  } catch (thrown) {
    if (isForbidden(thrown)) return [];
    throw thrown;
  }
}
