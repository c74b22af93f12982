import type { ClusterServiceVersion } from '../../../api/index.ts';
import type { KubeObject } from '../../../kube/index.ts';
import type { ServingContext } from './context.ts';
import { needsServing } from './descriptions.ts';

/** What the Deployments of an operator need to serve APIs and webhooks. */
export interface Serving {
  /** The Deployment with certificates mounted and the hash of their authority on its Pods; as it is where it serves nothing. */
  amend(deploymentName: string, deployment: KubeObject): KubeObject;
  /** RFC 3339; absent where the operator needs no certificates. */
  readonly certificates?: { readonly updatedAt: string; readonly rotateAt: string };
}

const nothing: Serving = { amend: (_, deployment) => deployment };

/** Creates or corrects everything but the Deployments: certificates, Services, permissions, APIServices and webhooks.
 *  @throws TerminalError when an object belongs to another owner or a description is invalid */
export function ensureServing(
  _context: ServingContext,
  csv: ClusterServiceVersion,
  _signal?: AbortSignal,
): Promise<Serving> {
  if (!needsServing(csv)) return Promise.resolve(nothing);
  return Promise.reject(new Error('not implemented'));
}

/** What the last `ensureServing` has made, read from caches; undefined when certificates are missing or invalid: rows T15, T23 and T34.
 *  @see docs/spec/olm-v0.md#state-machine */
export function readServing(_context: ServingContext, csv: ClusterServiceVersion): Serving | undefined {
  return needsServing(csv) ? undefined : nothing;
}

/** Whether certificates are to be issued again: rows T20 and T33.
 *  @see docs/spec/olm-v0.md#state-machine */
export function areCertificatesDue({ clock }: ServingContext, { status }: ClusterServiceVersion): boolean {
  return status?.certsRotateAt !== undefined && Date.parse(status.certsRotateAt) <= clock.now();
}
