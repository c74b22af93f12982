import { clusterServiceVersionResource, olmAnnotations } from '../../../src/api/index.ts';
import { listInstalled, type ObjectChange, type Preview, readInventory } from '../../../src/apply/index.ts';
import { errorMessage, type JsonObject, objectAt, TerminalError, TransientError } from '../../../src/base/index.ts';
import {
  describeRef,
  findObject,
  type KubeClient,
  type KubeObject,
  type ObjectMeta,
  refKey,
  refOf,
  serviceAccountUser,
} from '../../../src/kube/index.ts';
import { operatorDeployment, type PlanStepsOptions, planSteps } from '../../../src/operators/index.ts';
import {} from './context.ts';
import type { SubscriptionTarget } from './subscription-target.ts';

const { apiVersion: csvVersion, kind: csvKind } = clusterServiceVersionResource;

interface Looking {
  readonly kube: KubeClient;
  readonly target: SubscriptionTarget;
  /** Keys of what the BundleDeployment has installed. */
  readonly own: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** Members of a live object that an update leaves, with the desired ones. */
function updated(live: KubeObject, desired: KubeObject): KubeObject {
  const { metadata, spec, ...rest } = desired;
  const isService = desired.kind === 'Service';
  return {
    ...live,
    ...rest,
    ...(spec !== undefined && {
      spec: isService ? { ...(live['spec'] as JsonObject), ...(spec as JsonObject) } : spec,
    }),
    metadata: {
      ...live.metadata,
      labels: { ...live.metadata.labels, ...metadata.labels },
      annotations: { ...live.metadata.annotations, ...metadata.annotations },
    },
  };
}

/** What the write of an object would give, with the permissions that it will be written with; a text where it is refused. */
async function look(looking: Looking, desired: KubeObject): Promise<ObjectChange | string> {
  const { kube, target, own, signal } = looking;
  const { namespace, account } = target;
  const writer =
    account === '' || desired.kind === 'CustomResourceDefinition'
      ? kube
      : kube.actingAs(serviceAccountUser({ namespace, name: account }));
  const before = await findObject(kube, refOf(desired), { signal });
  const ref = refOf(desired);
  if (before !== undefined && !own.has(refKey(ref))) return `${describeRef(ref)} exists, and was not installed by it`;
  const options = { fieldManager: 'olm', isDryRun: true, signal };
  try {
    const after =
      before === undefined
        ? await writer.create(desired, options)
        : await writer.update(updated(before, desired), options);
    return { ref, before, after, manifest: desired };
  } catch (thrown) {
    if (!(thrown instanceof TerminalError || thrown instanceof TransientError)) throw thrown;
    return `${describeRef(ref)}: ${errorMessage(thrown)}`;
  }
}

/** The objects of the InstallPlan, as they will be written. */
async function plannedObjects(
  { kube, target, signal }: Looking,
  properties: PlanStepsOptions['properties'],
): Promise<readonly KubeObject[]> {
  const { namespace, catalog, content } = target;
  const options = { namespace, catalog, maxInlineBytes: Number.POSITIVE_INFINITY, ...(properties && { properties }) };
  const objects: KubeObject[] = [];
  for (const { resource } of planSteps(content, options)) {
    const object = JSON.parse(resource.manifest ?? '{}') as KubeObject;
    const { isNamespaced } = await kube.resolve(object.apiVersion, object.kind, { signal });
    const { namespace: _place, ownerReferences: _owners, ...metadata } = object.metadata;
    objects.push({ ...object, metadata: { ...metadata, ...(isNamespaced && { namespace }) } });
  }
  return objects;
}

/** The Deployments as the ClusterServiceVersion will have them. */
function deploymentsOf(target: SubscriptionTarget, planned: readonly KubeObject[]): readonly KubeObject[] {
  const { csv, namespace, group, targets, subscription } = target;
  const version = planned.find(({ kind }) => kind === csvKind)?.metadata as ObjectMeta;
  const annotations = {
    ...version.annotations,
    [olmAnnotations.operatorGroup]: group.name,
    [olmAnnotations.operatorNamespace]: namespace,
    [olmAnnotations.targetNamespaces]: targets.join(','),
  };
  const config = objectAt(subscription['spec'] as JsonObject, 'config') ?? {};
  const metadata = { ...csv.metadata, namespace, annotations };
  const { deployments = [] } = csv.spec.install.spec ?? {};
  return deployments.map((entry) => ({ ...operatorDeployment({ metadata }, entry, config) }));
}

/** The properties that its Pods were started with, where no plan names those of the catalog yet. */
function knownProperties(live: readonly KubeObject[]): PlanStepsOptions['properties'] {
  const templates = live.map((object) =>
    objectAt(object as unknown as JsonObject, 'spec', 'template', 'metadata', 'annotations'),
  );
  const text = templates.map((one) => one?.[olmAnnotations.properties]).find((one) => typeof one === 'string');
  if (typeof text !== 'string') return undefined;
  try {
    return (JSON.parse(text) as { properties?: NonNullable<PlanStepsOptions['properties']> }).properties;
  } catch {
    return undefined;
  }
}

/** What the InstallPlan and the ClusterServiceVersion will change, by dry runs. `properties` are those of the bundle in the plan. */
export async function previewSubscription(
  kube: KubeClient,
  target: SubscriptionTarget,
  { properties, signal }: { readonly properties: PlanStepsOptions['properties']; readonly signal: AbortSignal },
): Promise<Preview> {
  const { metadata } = target.deployment;
  const inventory = readInventory(metadata);
  const installed =
    inventory === undefined ? [] : await listInstalled({ kube, signal }, metadata.name ?? '', inventory);
  const own = new Set(installed.map((object) => refKey(refOf(object))));
  const looking: Looking = { kube, target, own, signal };
  const planned = await plannedObjects(looking, properties ?? knownProperties(installed));
  const changes: ObjectChange[] = [];
  const blockers: string[] = [];
  for (const desired of [...planned, ...deploymentsOf(target, planned)]) {
    const found = await look(looking, desired);
    if (typeof found === 'string') blockers.push(found);
    // It is new, and as the bundle has it.
    else if (desired.kind !== csvKind || desired.apiVersion !== csvVersion) changes.push(found);
  }
  return { changes, kept: [], blockers };
}
