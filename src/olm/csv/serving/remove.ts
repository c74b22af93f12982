import type { ClusterServiceVersion } from '../../../api/index.ts';
import type { ServingContext } from './context.ts';

/** Deletes what owner references do not: APIServices, webhook configurations, bindings outside of the namespace; conversions end. For the finalizer.
 *  @throws WaitingError while one of them is retained by its own finalizers */
export async function removeServing(
  _context: ServingContext,
  _csv: ClusterServiceVersion,
  _signal?: AbortSignal,
): Promise<void> {
  await Promise.resolve();
}
