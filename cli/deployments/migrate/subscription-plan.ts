import { setTimeout as pause } from 'node:timers/promises';
import {
  clusterServiceVersionResource,
  type InstallPlan,
  type InstallPlanStep,
  installPlanResource,
  operatorGroupResource,
  parseInstallPlan,
  parseSubscription,
  subscriptionResource,
} from '../../../src/api/index.ts';
import { isJsonEqual, isJsonObject, type JsonObject, objectAt, objectsAt, parseJson } from '../../../src/base/index.ts';
import { findObject, findSame, type KubeClient, type KubeObject, refOf } from '../../../src/kube/index.ts';
import { type PlanStepsOptions, planSteps, readStepManifest } from '../../../src/operators/index.ts';
import type { Waiting } from '../run/wait.ts';
import { imagesOf } from './by-extension.ts';
import {} from './context.ts';
import { refuse } from './extension.ts';
import { isSameImage, type Reading } from './provided.ts';
import { plannedImage } from './subscribed.ts';
import type { SubscriptionTarget } from './subscription-target.ts';

const pollMs = 300;
/** A catalog may be connected by the next try. */
const failureMs = 15_000;
const writer = { fieldManager: 'rukpakctl' };

/** Creates the OperatorGroup, where there is none, and the Subscription; those of an interrupted migration are used again. Returns what is new. */
export async function subscribe(
  kube: KubeClient,
  { group, subscription }: SubscriptionTarget,
): Promise<readonly KubeObject[]> {
  const created: KubeObject[] = [];
  if (group.object !== undefined) created.push(await kube.create(group.object, writer));
  if ((await findObject(kube, refOf(subscription))) === undefined)
    created.push(await kube.create(subscription, writer));
  return created;
}

/** Whether an OperatorGroup is that of a Subscription, which others may have created meanwhile. */
async function isUsed(kube: KubeClient, { kind, metadata }: KubeObject): Promise<boolean> {
  if (kind !== operatorGroupResource.kind) return false;
  return (await kube.list({ ...subscriptionResource, namespace: metadata.namespace ?? '' })).items.length > 0;
}

/** Deletes what was created for a migration that does not take place. */
export async function unsubscribe(kube: KubeClient, created: readonly KubeObject[]): Promise<void> {
  for (const object of created.toReversed()) {
    const { uid = '' } = object.metadata;
    const live = await findSame(kube, refOf(object), { uid });
    if (live !== undefined && !(await isUsed(kube, object))) await kube.delete(refOf(object), { uid });
  }
}

/** Why there is no plan. */
interface Missing {
  readonly text: string;
  readonly isFailure: boolean;
}

async function resolvedPlan(kube: KubeClient, namespace: string, name: string): Promise<InstallPlan | undefined> {
  const { apiVersion, kind } = installPlanResource;
  const object = name === '' ? undefined : await findObject(kube, { apiVersion, kind, namespace, name });
  const plan = object && parseInstallPlan(object);
  return (plan?.status?.plan ?? []).length === 0 ? undefined : plan;
}

/** The plan of a Subscription, or why there is none yet. */
async function planOf(kube: KubeClient, subscription: KubeObject): Promise<InstallPlan | Missing> {
  const { metadata, status } = parseSubscription(await kube.get(refOf(subscription)));
  const failed = status?.conditions?.find((one) => one.type === 'ResolutionFailed' && one.status === 'True');
  if (failed !== undefined) return { text: failed.message ?? 'it is not resolved', isFailure: true };
  const plan = await resolvedPlan(kube, metadata.namespace ?? '', status?.installPlanRef?.name ?? '');
  return plan ?? { text: 'waiting for its InstallPlan', isFailure: false };
}

/** Waits for the InstallPlan of the Subscription.
 *  @throws TerminalError NotMigrated */
export async function awaitPlan(
  { kube, timeoutMs, progress }: Waiting,
  target: SubscriptionTarget,
): Promise<InstallPlan> {
  const { subscription, deployment } = target;
  const startMs = performance.now();
  let wellMs = startMs;
  for (;;) {
    const found = await planOf(kube, subscription);
    if ('metadata' in found) return found;
    const nowMs = performance.now();
    if (!found.isFailure) wellMs = nowMs;
    if (nowMs - wellMs > failureMs || nowMs - startMs > timeoutMs)
      return refuse(deployment, `Subscription ${target.namespace}/${subscription.metadata.name}: ${found.text}`);
    progress.show(`Subscription ${subscription.metadata.name}: ${found.text}`);
    await pause(pollMs);
  }
}

/** The plan installs the very bundle that is installed, and nothing else.
 *  @throws TerminalError NotMigrated */
export async function assertPlanned(
  plan: InstallPlan,
  target: SubscriptionTarget,
  { kube, ...reading }: Reading & { readonly kube: KubeClient },
): Promise<void> {
  const { deployment, bundle, catalog } = target;
  const others = plan.spec.clusterServiceVersionNames.filter((name) => name !== bundle.name);
  if (others.length > 0 || plan.spec.clusterServiceVersionNames.length === 0) {
    refuse(
      deployment,
      `its InstallPlan would install ${others.join(', ') || 'nothing'} as well: migrate what it requires first`,
    );
  }
  const csv = { metadata: { name: bundle.name } } as Parameters<typeof plannedImage>[0]['csv'];
  const planned = plannedImage({ plan, csv });
  const from = `CatalogSource ${catalog.namespace}/${catalog.name}`;
  if (planned === undefined) {
    // The catalog has the manifests, and may not name an image.
    if (hasSameManifests(plan, target)) return;
    return refuse(
      deployment,
      `${from} has other manifests of bundle "${bundle.name}" than image ${bundle.image}, which is installed`,
    );
  }
  if (await isSameImage(planned, await imagesOf(kube, target), reading)) return;
  refuse(deployment, `${from} has bundle "${bundle.name}" as image ${planned}, and ${bundle.image} is installed`);
}

/** What a step writes, without what the catalog decides. */
function writtenBy({ resource }: InstallPlanStep): readonly [string, JsonObject] {
  const object = parseJson('the manifest of a step', resource.manifest ?? '{}') as JsonObject;
  const { replaces: _ofCatalog, ...spec } = objectAt(object, 'spec') ?? {};
  const isVersion = resource.kind === clusterServiceVersionResource.kind;
  return [`${resource.group} ${resource.kind} ${resource.name}`, isVersion ? { ...object, spec } : object];
}

/** Whether the plan would write what the installed bundle contains. */
function hasSameManifests(plan: InstallPlan, { content, namespace, catalog, bundle }: SubscriptionTarget): boolean {
  const properties = plannedProperties(plan, bundle.name);
  const options = { namespace, catalog, maxInlineBytes: Number.POSITIVE_INFINITY, ...(properties && { properties }) };
  const expected = new Map(planSteps(content, options).map(writtenBy));
  const found = (plan.status?.plan ?? []).map(writtenBy);
  return (
    found.length === expected.size && found.every(([key, object]) => isJsonEqual(object, expected.get(key) ?? null))
  );
}

/** The properties of the bundle that the plan writes into the ClusterServiceVersion. */
export function plannedProperties({ status }: InstallPlan, name: string): PlanStepsOptions['properties'] {
  const step = status?.plan?.find(
    ({ resource }) => resource.kind === clusterServiceVersionResource.kind && resource.name === name,
  );
  const manifest = step && readStepManifest(step.resource.manifest ?? '{}', { name, image: undefined });
  if (manifest === undefined) return undefined;
  if ('reference' in manifest) return manifest.reference.properties;
  const annotations = objectAt(manifest.object, 'metadata', 'annotations') ?? {};
  const text = annotations['operatorframework.io/properties'];
  const value = typeof text === 'string' ? parseJson('the properties of the bundle', text) : undefined;
  return isJsonObject(value)
    ? (objectsAt(value, 'properties') as unknown as PlanStepsOptions['properties'])
    : undefined;
}
