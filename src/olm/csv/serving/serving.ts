import { type ClusterServiceVersion, olmFieldManager } from '../../../api/index.ts';
import { type CertifiedKey, formatTimestamp, type ServingPair, TerminalError } from '../../../base/index.ts';
import type { KindCache, KubeObject } from '../../../kube/index.ts';
import { ensureOwned } from '../../owned-objects.ts';
import { withCertificate } from './amend.ts';
import { ensureBinding } from './bindings.ts';
import type { ServingContext } from './context.ts';
import { needsServing, type ServedDeployment, servedDeployments } from './descriptions.ts';
import { ensureWebhook } from './ensure-webhook.ts';
import {
  delegationBindings,
  desiredApiService,
  desiredRole,
  desiredRoleBinding,
  desiredSecret,
  desiredService,
} from './objects.ts';
import { foreignApiService, isAdoptable, labelledOwner, ownedBy, predecessors } from './ownership.ts';
import { authorityHash, createAuthority, issuedMs, issueServing, rotationMs } from './serving-certificates.ts';

/** What the Deployments of an operator need to serve APIs and webhooks. */
export interface Serving {
  /** The Deployment with certificates mounted and the hash of their authority on its Pods; as it is where it serves nothing. */
  amend(deploymentName: string, deployment: KubeObject): KubeObject;
  /** RFC 3339; absent where the operator needs no certificates. */
  readonly certificates?: { readonly updatedAt: string; readonly rotateAt: string };
}

interface Certified {
  readonly served: ServedDeployment;
  readonly pair: ServingPair;
}

const nothing: Serving = { amend: (_, deployment) => deployment };

function servingOf(certified: readonly Certified[]): Serving {
  const byName = new Map(certified.map((one) => [one.served.name, one]));
  const pairs = certified.map(({ pair }) => pair);
  return {
    amend: (deploymentName, deployment) => {
      const found = byName.get(deploymentName);
      if (found === undefined) return deployment;
      return withCertificate(deployment, { name: found.served.secret, hash: authorityHash(found.pair) });
    },
    certificates: {
      updatedAt: formatTimestamp(Math.max(...pairs.map(issuedMs))),
      rotateAt: formatTimestamp(Math.min(...pairs.map(rotationMs))),
    },
  };
}

/** One attempt to install. */
interface Attempt {
  readonly context: ServingContext;
  readonly csv: ClusterServiceVersion;
  readonly isOwn: (live: KubeObject) => boolean;
  /** Made when the first certificate is issued. */
  readonly authority: () => Promise<CertifiedKey>;
  /** Certificates are replaced, whatever they are. */
  readonly isDue: boolean;
  readonly signal: AbortSignal | undefined;
}

async function ensure(attempt: Attempt, cache: KindCache, desired: KubeObject): Promise<KubeObject> {
  const { context, isOwn, signal } = attempt;
  return await ensureOwned(desired, { kube: context.kube, cache, fieldManager: olmFieldManager, isOwn, signal });
}

/** The certificate of a Deployment: that of its Secret as long as it is good, else a new one. */
async function ensureCertificate(attempt: Attempt, served: ServedDeployment): Promise<ServingPair> {
  const { context, csv, isOwn, isDue } = attempt;
  const { caches, certificates, clock } = context;
  const nowMs = clock.now();
  const live = caches.secrets.get(served.secret, served.namespace);
  const previous = live !== undefined && isOwn(live) ? certificates.validPair(live, served, nowMs) : undefined;
  const isFresh = previous !== undefined && !isDue && nowMs < rotationMs(previous);
  const pair = isFresh ? previous : await issueServing(await attempt.authority(), served, { previous, nowMs });
  await ensure(attempt, caches.secrets, desiredSecret(csv, served, pair));
  return pair;
}

function labelledForAny(context: ServingContext, csv: ClusterServiceVersion): (live: KubeObject) => boolean {
  const { name, namespace } = csv.metadata;
  const names = new Set([name, ...predecessors(context, csv).map((one) => one.metadata.name ?? '')]);
  return (live) => {
    const owner = labelledOwner(live);
    return owner !== undefined && owner.namespace === namespace && names.has(owner.name);
  };
}

async function ensureAccess(attempt: Attempt, served: ServedDeployment): Promise<void> {
  const { context, csv, signal } = attempt;
  const { roles, roleBindings } = context.caches;
  await ensure(attempt, roles, desiredRole(csv, served));
  await ensure(attempt, roleBindings, desiredRoleBinding(csv, served));
  const mayOwn = labelledForAny(context, csv);
  for (const binding of delegationBindings(csv, served)) await ensureBinding(context, csv, { binding, mayOwn, signal });
}

async function ensureApis(attempt: Attempt, { served, pair }: Certified): Promise<void> {
  const { context, csv, signal } = attempt;
  const { kube, caches } = context;
  const isOwn = (live: KubeObject): boolean => isAdoptable(context, csv, live);
  for (const api of served.apis) {
    const made = desiredApiService(csv, { served, api, pair });
    const live = caches.apiServices.get(made.metadata.name ?? '');
    const annotations = { ...context.annotations, ...live?.metadata.annotations };
    const desired = { ...made, metadata: { ...made.metadata, annotations } };
    await ensureOwned(desired, { kube, cache: caches.apiServices, fieldManager: olmFieldManager, isOwn, signal });
  }
}

async function ensureDeployment(attempt: Attempt, served: ServedDeployment): Promise<Certified> {
  const { context, csv, signal } = attempt;
  await ensure(attempt, context.caches.services, desiredService(csv, served));
  const pair = await ensureCertificate(attempt, served);
  await ensureAccess(attempt, served);
  await ensureApis(attempt, { served, pair });
  for (const description of served.webhooks) {
    await ensureWebhook(context, csv, { webhook: { description, served, pair }, signal });
  }
  return { served, pair };
}

function oneAuthority(nowMs: number): () => Promise<CertifiedKey> {
  let made: Promise<CertifiedKey> | undefined;
  return () => (made ??= createAuthority(nowMs));
}

/** Creates or corrects everything but the Deployments: certificates, Services, permissions, APIServices and webhooks.
 *  @throws TerminalError when an object belongs to another owner or a description is invalid */
export async function ensureServing(
  context: ServingContext,
  csv: ClusterServiceVersion,
  signal?: AbortSignal,
): Promise<Serving> {
  if (!needsServing(csv)) return nothing;
  const foreign = foreignApiService(context, csv);
  if (foreign !== undefined)
    throw new TerminalError('OwnerConflict', `pre-existing APIService ${foreign} is not adoptable`);
  const attempt: Attempt = {
    context,
    csv,
    isOwn: ownedBy(context, csv),
    authority: oneAuthority(context.clock.now()),
    isDue: areCertificatesDue(context, csv),
    signal,
  };
  const certified: Certified[] = [];
  for (const served of servedDeployments(csv)) certified.push(await ensureDeployment(attempt, served));
  return servingOf(certified);
}

/** What the last `ensureServing` has made, read from caches; undefined when certificates are missing or invalid: rows T15, T23 and T34.
 *  @see docs/spec/olm-v0.md#state-machine */
export function readServing(context: ServingContext, csv: ClusterServiceVersion): Serving | undefined {
  if (!needsServing(csv)) return nothing;
  const { caches, certificates, clock } = context;
  const isOwn = ownedBy(context, csv);
  try {
    const certified = servedDeployments(csv).map((served): Certified | undefined => {
      const live = caches.secrets.get(served.secret, served.namespace);
      if (live === undefined || !isOwn(live)) return undefined;
      const pair = certificates.validPair(live, served, clock.now());
      return pair === undefined ? undefined : { served, pair };
    });
    const found = certified.filter((one) => one !== undefined);
    return found.length < certified.length ? undefined : servingOf(found);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

/** Whether certificates are to be issued again: rows T20 and T33.
 *  @see docs/spec/olm-v0.md#state-machine */
export function areCertificatesDue({ clock }: ServingContext, csv: ClusterServiceVersion): boolean {
  const rotateAt = csv.status?.certsRotateAt;
  return needsServing(csv) && rotateAt !== undefined && Date.parse(rotateAt) <= clock.now();
}
