import type { CatalogSource } from '../api/index.ts';

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
