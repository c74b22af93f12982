import {
  type ClusterServiceVersion,
  clusterServiceVersionResource,
  type OperatorGroup,
  olmFieldManager,
} from '../../api/index.ts';
import { errorMessage, type JsonObject, type JsonValue, TerminalError, WaitingError } from '../../base/index.ts';
import {
  describeRef,
  isAlreadyExists,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  refOf,
  serviceAccountUser,
} from '../../kube/index.ts';
import {
  abandonedComponentLabels,
  componentLabelsOf,
  type DeploymentConfig,
  podAnnotations,
} from '../../operators/index.ts';
import { covers } from '../owned-objects.ts';
import { chainOf, type Versions } from './chain.ts';
import { driftOf } from './check-deployments.ts';
import { type CsvContext, readSubscription } from './context.ts';
import { desiredDeployments, ownerReferenceOf } from './desired-deployments.ts';
import type { InstallResult } from './facts.ts';
import type { MemberRun } from './run.ts';
import { ensureServing, type Serving } from './serving/index.ts';

const { kind: csvKind } = clusterServiceVersionResource;

/** The configuration of the Subscription; of several, that of the oldest. */
function configOf({ subscriptions }: CsvContext, { metadata }: ClusterServiceVersion): DeploymentConfig | undefined {
  const found = subscriptions
    .get(`${metadata.namespace}/${metadata.name}`)
    .flatMap((one) => readSubscription(one) ?? []);
  const ageOf = ({ metadata: { creationTimestamp, name } }: (typeof found)[number]): string =>
    `${creationTimestamp ?? ''} ${name}`;
  return found.toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))[0]?.spec.config;
}

/** The Deployments that are desired now. */
export function deploymentsOf(
  context: CsvContext,
  csv: ClusterServiceVersion,
  serving: Serving,
): readonly KubeObject[] {
  return desiredDeployments(csv, { config: configOf(context, csv), proxy: context.proxy.variables(), serving });
}

/** Deployments of the namespace that the ClusterServiceVersion owns, by its uid. */
export function ownedDeployments(context: CsvContext, { metadata }: ClusterServiceVersion): readonly KubeObject[] {
  const { uid = '', namespace } = metadata;
  return context.deploymentsByOwner.get(uid).filter((one) => one.metadata.namespace === namespace);
}

/** A client with the permissions that the group allows: those of its service account, if it names one.
 *  @see docs/spec/olm-v0.md#scoped-service-account */
function clientFor({ kube, caches }: CsvContext, { metadata, spec }: OperatorGroup): KubeClient {
  const { namespace = '', name } = metadata;
  const account = spec?.serviceAccountName ?? '';
  if (account === '') return kube;
  if (caches.accounts.get(account, namespace) === undefined) {
    const message = `please make sure the service account exists. sa=${account} operatorgroup=${namespace}/${name}`;
    throw new TerminalError('ServiceAccountNotFound', message);
  }
  return kube.actingAs(serviceAccountUser({ namespace, name: account }));
}

/** Another owner that keeps the Deployment from being adopted. */
function foreignOwner(live: KubeObject, csv: ClusterServiceVersion, versions: Versions): string | undefined {
  const owners = live.metadata.ownerReferences ?? [];
  const controller = owners.find((owner) => owner.controller === true && owner.uid !== csv.metadata.uid);
  if (controller !== undefined) return `${controller.kind} "${controller.name}"`;
  const chain = chainOf(csv, versions);
  const other = owners.find(
    ({ kind, name, uid }) => kind === csvKind && !chain.has(name) && versions.get(name)?.metadata.uid === uid,
  );
  return other === undefined ? undefined : `${other.kind} "${other.name}"`;
}

/** The labels that stay. Those of the package of an operator that gives way to one of another package do not. */
function keptLabels(live: KubeObject, csv: ClusterServiceVersion, versions: Versions): Record<string, string> {
  const owners = (live.metadata.ownerReferences ?? []).filter(({ kind }) => kind === csvKind);
  const predecessors = owners.flatMap(({ name }) => (name === csv.metadata.name ? [] : (versions.get(name) ?? [])));
  const abandoned = new Set(predecessors.flatMap((predecessor) => abandonedComponentLabels(predecessor, csv)));
  return Object.fromEntries(Object.entries(live.metadata.labels ?? {}).filter(([key]) => !abandoned.has(key)));
}

/** The Deployment as an installation writes it: with all of the desired spec, and of its metadata what others need. */
export function replaced(
  live: KubeObject,
  desired: KubeObject,
  { csv, versions }: Pick<MemberRun, 'csv' | 'versions'>,
): KubeObject {
  const { managedFields: _dropped, ...metadata } = live.metadata;
  const others = (metadata.ownerReferences ?? []).filter(({ kind }) => kind !== csvKind);
  return {
    ...desired,
    metadata: {
      ...metadata,
      labels: { ...keptLabels(live, csv, versions), ...desired.metadata.labels },
      annotations: { ...metadata.annotations, ...desired.metadata.annotations },
      ownerReferences: [...others, ownerReferenceOf(csv)],
    },
  };
}

interface Installation {
  readonly run: MemberRun;
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
}

async function update({ run, kube, signal }: Installation, live: KubeObject, desired: KubeObject): Promise<KubeObject> {
  const { csv, versions } = run;
  const what = describeRef(refOf(desired));
  if (live.metadata.deletionTimestamp !== undefined) {
    throw new WaitingError('DeploymentBeingDeleted', `${what} is being deleted`, { afterMs: 5_000 });
  }
  const owner = foreignOwner(live, csv, versions);
  if (owner !== undefined) {
    throw new TerminalError('OwnerConflict', `${what} belongs to ${owner}: rename the deployment, or delete that one`);
  }
  return await kube.update(replaced(live, desired, run), { fieldManager: olmFieldManager, signal });
}

async function createOrUpdate(installation: Installation, desired: KubeObject): Promise<KubeObject> {
  const { run, kube, signal } = installation;
  const { metadata } = desired;
  // Not among the desired ones: the hash of the Deployment would change with them.
  const labels = { ...metadata.labels, ...componentLabelsOf(run.csv) };
  const created = { ...desired, metadata: { ...metadata, labels } };
  try {
    return await kube.create(created, { fieldManager: olmFieldManager, signal });
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
    // One without our labels is not cached.
    return await update(installation, await run.context.kube.get(refOf(desired), { signal }), desired);
  }
}

async function applyDeployment(installation: Installation, desired: KubeObject): Promise<void> {
  const { csv, context } = installation.run;
  const { name = '', namespace } = desired.metadata;
  const live = context.caches.deployments.get(name, namespace);
  const owner = { uid: csv.metadata.uid ?? '', podAnnotations: podAnnotations(csv) };
  const isBeingDeleted = live?.metadata.deletionTimestamp !== undefined;
  // An attempt to install corrects what else was changed by hand, such as the number of replicas.
  // The default of the API server: a number that is not listed is one, too.
  const spec = { replicas: 1, ...(desired['spec'] as JsonObject) };
  const isCurrent = live !== undefined && covers(live['spec'] as JsonValue, spec);
  if (isCurrent && !isBeingDeleted && driftOf(desired, live, owner) === undefined) return;
  const written =
    live === undefined ? await createOrUpdate(installation, desired) : await update(installation, live, desired);
  context.caches.deployments.wrote(written);
}

/** Deletes Deployments that the ClusterServiceVersion owns by its uid, without those that are listed in `kept`. */
export async function deleteDeployments(
  { context, csv }: Pick<MemberRun, 'context' | 'csv'>,
  { kube, kept, signal }: Pick<Installation, 'kube' | 'signal'> & { readonly kept: ReadonlySet<string> },
): Promise<void> {
  for (const deployment of ownedDeployments(context, csv)) {
    const { name = '', uid = '', deletionTimestamp } = deployment.metadata;
    if (kept.has(name) || deletionTimestamp !== undefined) continue;
    try {
      await kube.delete(refOf(deployment), { uid, signal });
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
}

async function installAll(installation: Installation): Promise<Serving> {
  const { run, kube, signal } = installation;
  const annotations = configOf(run.context, run.csv)?.annotations;
  const serving = await ensureServing({ ...run.context.serving, kube, annotations }, run.csv, signal);
  const desired = deploymentsOf(run.context, run.csv, serving);
  for (const deployment of desired) await applyDeployment(installation, deployment);
  const kept = new Set(desired.map(({ metadata }) => metadata.name ?? ''));
  await deleteDeployments(run, { kube, signal, kept });
  return serving;
}

/** Creates, updates and deletes what the install strategy requires, with the permissions that the group allows.
 *  @throws TransientError where the API server may answer otherwise soon · WaitingError while something is being deleted
 *  @see docs/spec/olm-v0.md#install-strategy-deployment */
export async function install(run: MemberRun, signal: AbortSignal): Promise<InstallResult> {
  const { context, group } = run;
  try {
    const { certificates } = await installAll({ run, kube: clientFor(context, group), signal });
    return certificates === undefined ? { state: 'Done' } : { state: 'Done', certificates };
  } catch (thrown) {
    const isScoped = (group.spec?.serviceAccountName ?? '') !== '';
    const message = errorMessage(thrown);
    if (isForbidden(thrown))
      return isScoped ? { state: 'Forbidden', message } : { state: 'Failed', message, mayPass: true };
    if (thrown instanceof TerminalError) return { state: 'Failed', message };
    throw thrown;
  }
}
