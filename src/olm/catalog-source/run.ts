import { olmFieldManager } from '../../api/index.ts';
import { type ReconcileRun, StatusWriter } from '../../controller/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { CatalogSourceContext } from './context.ts';

/** One reconcile of one CatalogSource. */
export interface SourceRun extends ReconcileRun {
  readonly context: CatalogSourceContext;
  readonly status: StatusWriter;
}

/** The reconcile of `object`. */
export function beginSource(context: CatalogSourceContext, object: KubeObject): SourceRun {
  const { kube, clock, sources: cache } = context;
  const options = { kube, clock, cache, fieldManager: olmFieldManager, hasGenerations: false };
  return { context, object, status: new StatusWriter(object, options) };
}
