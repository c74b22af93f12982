import { ownerKindLabel, ownerNameLabel, servingCertificateAnnotation } from '../../src/api/index.ts';
import { clientFor } from '../../src/apply/index.ts';
import { certificateExpiryMs, formatTimestamp } from '../../src/base/index.ts';
import { requeueAfter } from '../../src/controller/index.ts';
import { isForbidden, type KubeObject } from '../../src/kube/index.ts';
import { inventoryOf } from '../deployment-record.ts';
import { actingOwnerOf, ownerOf } from '../installed-record.ts';
import { isFresh, servingIn } from '../serving-secret.ts';
import { type DeploymentRun } from './run.ts';

/** Timers are not to be trusted for months. */
const longestLookMs = 12 * 3_600_000;
const shortestLookMs = 1_000;

/** Has the deployment looked at when its certificates are due, though nothing else happens. */
export function awaitRenewal(run: DeploymentRun): void {
  const { servingCertificates, clock } = run.context;
  const dueMs = servingCertificates.renewalMsOf(ownerOf(run.object).name);
  if (dueMs === undefined) return;
  requeueAfter(run, Math.min(longestLookMs, Math.max(shortestLookMs, dueMs - clock.now())));
}

async function installedSecrets(run: DeploymentRun, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const { namespaces = [], kinds = [] } = inventoryOf(run.object) ?? {};
  if (!kinds.some(({ group, kind }) => group === '' && kind === 'Secret')) return [];
  const owner = actingOwnerOf(run.object);
  const kube = clientFor(run.context.kube, owner);
  const labelSelector = `${ownerKindLabel}=BundleDeployment,${ownerNameLabel}=${owner.name}`;
  const found: KubeObject[] = [];
  for (const namespace of namespaces) {
    try {
      const { items } = await kube.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector }, { signal });
      found.push(...items.filter(({ metadata }) => metadata.annotations?.[servingCertificateAnnotation] !== undefined));
    } catch (thrown) {
      if (!isForbidden(thrown)) throw thrown;
    }
  }
  return found;
}

function expiryOf(secret: KubeObject, nowMs: number): string | undefined {
  const pair = servingIn(secret);
  try {
    if (isFresh(pair, nowMs)) return undefined;
    const { namespace = '', name = '' } = secret.metadata;
    return `the certificate in Secret "${name}" in namespace "${namespace}" is good until ${formatTimestamp(certificateExpiryMs(pair.certificatePem))}`;
  } catch {
    // What replaces it cannot be read, and is corrected with all other drift.
    return undefined;
  }
}

/** Which certificates of a deployment that is not acted on would have been renewed by now; undefined for none. */
export async function overdueCertificates(run: DeploymentRun, signal: AbortSignal): Promise<string | undefined> {
  const secrets = await installedSecrets(run, signal);
  if (secrets.length === 0) return undefined;
  requeueAfter(run, longestLookMs);
  const overdue = secrets.flatMap((secret) => expiryOf(secret, run.context.clock.now()) ?? []);
  return overdue.length === 0 ? undefined : overdue.join('; ');
}
