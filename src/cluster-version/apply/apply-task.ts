import { clusterOperatorResource, clusterVersionFieldManager } from '../../api/index.ts';
import { type Clock, type JsonObject, objectAt, objectsAt, TerminalError } from '../../base/index.ts';
import {
  isAlreadyExists,
  isKubeError,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  type OwnerReference,
  refOf,
} from '../../kube/index.ts';
import { type ApplyMode, type ReleaseManifest, type ReleaseTask } from '../../release/index.ts';
import { assertOperatorDone } from '../health/operator.ts';
import { assertReady, hasReadyExpression } from '../health/readiness.ts';
import { assertHealthy, hasHealth, type WaitPolicy } from '../health/workloads.ts';
import type { WaitTimes } from '../status/operator-waits.ts';
import { expectedDurationAnnotation } from '../status/timing.ts';
import { annotationOf, applyAnnotations, desiredHead, desiredObject } from './desired-object.ts';
import { injectProxy, type ProxyVariables } from './inject-proxy.ts';
import { injectTls, type TlsSettings } from './inject-tls.ts';
import type { ObservedObjects } from './observed-objects.ts';
import type { PendingDeletions } from './pending-deletions.ts';
import { withoutUndeclaredField } from './undeclared-fields.ts';

/** What manifests are applied with. */
export interface ApplyContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  /** The ClusterVersion, as controller. */
  readonly owner: OwnerReference;
  readonly mode: ApplyMode['kind'];
  readonly waitPolicy: WaitPolicy;
  readonly deletions: PendingDeletions;
  readonly waits: WaitTimes;
  readonly observed: ObservedObjects;
  readonly proxy: ProxyVariables;
  /** Undefined when the release has no object that takes them. */
  readonly tls: TlsSettings | undefined;
  readonly signal: AbortSignal;
}

const fieldManager = clusterVersionFieldManager;
/** Within which a new CustomResourceDefinition is usually served. */
const establishMs = 5_000;
const establishPollMs = 50;
const maxUndeclaredFields = 20;

function isOperator({ key }: ReleaseManifest): boolean {
  return key.kind === clusterOperatorResource.kind && `${key.group}/v1` === clusterOperatorResource.apiVersion;
}

/** An object that must not exist.
 *  @throws TerminalError InvalidDeleteAnnotation */
function mustBeDeleted(manifest: ReleaseManifest): boolean {
  const annotations = objectAt(manifest.metadata, 'annotations');
  const value = annotations?.[applyAnnotations.delete];
  // The reference creates ClusterOperators whatever the annotation is.
  if (value === undefined || isOperator(manifest)) return false;
  if (value === 'true') return true;
  const text = `invalid delete annotation "${applyAnnotations.delete}" value: ${JSON.stringify(value)}`;
  throw new TerminalError('InvalidDeleteAnnotation', text);
}

async function getOrUndefined({ kube, signal }: ApplyContext, object: KubeObject): Promise<KubeObject | undefined> {
  try {
    return await kube.get(refOf(object), { signal });
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return undefined;
    throw thrown;
  }
}

/** Requests the deletion; what is being deleted is not waited for. */
async function remove(context: ApplyContext, { key }: ReleaseManifest, object: KubeObject): Promise<void> {
  const { deletions, kube, signal, mode } = context;
  if (mode === 'Initializing') return;
  const live = await getOrUndefined(context, object);
  if (live?.metadata.uid === undefined) return deletions.completed(key);
  if (live.metadata.deletionTimestamp === undefined) {
    await kube.delete(refOf(live), { uid: live.metadata.uid, signal });
  }
  deletions.requested(key);
  if ((await getOrUndefined(context, object)) === undefined) deletions.completed(key);
}

/** Any spelling of the annotation counts, but only `true` makes the ClusterVersion an owner that is no controller. */
async function createOnly(
  { kube, owner, observed, signal }: ApplyContext,
  manifest: ReleaseManifest,
  object: KubeObject,
): Promise<void> {
  const { controller: _controller, ...plainOwner } = owner;
  const isPlain = annotationOf(manifest, applyAnnotations.createOnly) === 'true';
  const owners =
    object.metadata.ownerReferences?.map((one) => (isPlain && one.uid === owner.uid ? plainOwner : one)) ?? [];
  try {
    const created = { ...object, metadata: { ...object.metadata, ownerReferences: owners } };
    await kube.create(created, { fieldManager, signal });
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
  }
  observed.follow(object);
}

/** Whether the server refused a change of a field that cannot be changed. */
function isImmutable(thrown: unknown): boolean {
  return isKubeError(thrown) && thrown.failure.status === 422 && thrown.failure.message.includes('immutable');
}

async function recreate({ kube, signal }: ApplyContext, object: KubeObject): Promise<KubeObject> {
  const live = await kube.get(refOf(object), { signal });
  await kube.delete(refOf(object), { signal, ...(live.metadata.uid === undefined ? {} : { uid: live.metadata.uid }) });
  return (await kube.apply(object, { fieldManager, force: true, signal })).object;
}

/** Server-side apply refuses fields that the kind lacks; they are left out, as other writes leave them out. */
async function applyDeclared({ kube, signal }: ApplyContext, object: KubeObject): Promise<KubeObject> {
  let desired = object;
  for (let left = maxUndeclaredFields; ; left -= 1) {
    try {
      return (await kube.apply(desired, { fieldManager, force: true, signal })).object;
    } catch (thrown) {
      const declared = left > 0 ? withoutUndeclaredField(desired, thrown) : undefined;
      if (declared === undefined) throw thrown;
      desired = declared;
    }
  }
}

async function write(context: ApplyContext, manifest: ReleaseManifest, object: KubeObject): Promise<KubeObject> {
  const { kube } = context;
  try {
    return await applyDeclared(context, object);
  } catch (thrown) {
    // Its definition may have been applied a moment ago.
    if (thrown instanceof NoKindMatch) kube.forgetKinds(object.apiVersion);
    const mayRecreate = annotationOf(manifest, applyAnnotations.recreate) === 'true';
    if (mayRecreate && isImmutable(thrown)) return await recreate(context, object);
    throw thrown;
  }
}

/** Writes the object, unless it is as it was applied. */
async function ensure(context: ApplyContext, manifest: ReleaseManifest, object: KubeObject): Promise<KubeObject> {
  const { observed } = context;
  if (observed.isAsApplied(object)) {
    const live = await getOrUndefined(context, object);
    if (live !== undefined && observed.read(object, live)) return live;
  }
  const written = await write(context, manifest, object);
  observed.wrote(object, written);
  return written;
}

/** Whether there is nothing to do. */
function isSettled({ mode, observed }: ApplyContext, manifest: ReleaseManifest, object: KubeObject): boolean {
  // An operator that no one has changed may be at another version than this release expects.
  if (mode === 'Initializing' || (mode === 'Updating' && isOperator(manifest))) return false;
  return observed.isUnchanged(object);
}

/** A new definition is served a moment later: that is no failure. */
async function checkHealth(context: ApplyContext, task: ReleaseTask, written: KubeObject): Promise<void> {
  const { kube, clock, signal, waitPolicy: policy } = context;
  const endMs = clock.now() + establishMs;
  for (let live = written; ; live = await kube.get(refOf(live), { signal })) {
    try {
      assertHealthy(task, live, { policy, nowMs: clock.now() });
      return assertReady(task, live);
    } catch (thrown) {
      if (live.kind !== 'CustomResourceDefinition' || clock.now() >= endMs) throw thrown;
    }
    await clock.sleep(establishPollMs, { signal });
  }
}

function assertOperator({ waits, mode }: ApplyContext, task: ReleaseTask, live: KubeObject): void {
  const { name } = task.manifest.key;
  waits.expect(name, annotationOf(task.manifest, expectedDurationAnnotation));
  assertOperatorDone(task, live, mode);
  waits.end(name);
}

async function check(context: ApplyContext, task: ReleaseTask, live: KubeObject): Promise<void> {
  if (isOperator(task.manifest)) assertOperator(context, task, live);
  else if (context.mode !== 'Initializing') await checkHealth(context, task, live);
}

/** What the manifest states, with what the cluster adds. */
function objectOf({ owner, proxy, tls }: ApplyContext, manifest: ReleaseManifest): KubeObject {
  return injectTls(injectProxy(desiredObject(manifest, owner), manifest, proxy), manifest, tls);
}

/** Brings one object of a release to its desired state, and checks that the update may go on.
 *  @throws UpdateFailure, and what the cluster answers
 *  @see docs/spec/cluster-version.md#applying-and-waiting */
export async function applyTask(context: ApplyContext, task: ReleaseTask): Promise<void> {
  const { manifest } = task;
  const head = desiredHead(manifest, context.owner);
  if (mustBeDeleted(manifest)) return await remove(context, manifest, head);
  const isCreatedOnly = annotationOf(manifest, applyAnnotations.createOnly).toLowerCase() === 'true';
  const isDone = isCreatedOnly ? context.observed.exists(head) : isSettled(context, manifest, head);
  if (isDone) return;
  const object = objectOf(context, manifest);
  if (isCreatedOnly) return await createOnly(context, manifest, object);
  await check(context, task, await ensure(context, manifest, object));
  // An installation does not check all that an update waits for.
  const isAwaited = hasHealth(manifest, context.waitPolicy) || hasReadyExpression(manifest);
  const isChecked = context.mode !== 'Initializing' || isOperator(manifest) || !isAwaited;
  if (isChecked) context.observed.settled(object);
}

/** Creates the ClusterOperators of a node with the objects that they relate to, so that they can be collected before their operator runs. Those that exist
 *  stay as they are. */
export async function precreateOperators(context: ApplyContext, tasks: readonly ReleaseTask[]): Promise<void> {
  for (const { manifest } of tasks) {
    if (!isOperator(manifest)) continue;
    if (context.observed.exists(desiredHead(manifest, context.owner))) continue;
    const object = desiredObject(manifest, context.owner);
    // Manifests leave out members that the definition requires.
    const relatedObjects = objectsAt(objectAt(manifest.object, 'status'), 'relatedObjects').map((one) => ({
      group: '',
      resource: '',
      name: '',
      ...one,
    }));
    const { kube, signal } = context;
    try {
      const created = await kube.create({ ...object, spec: {} }, { fieldManager, signal });
      if (relatedObjects.length === 0) continue;
      const { uid = '' } = created.metadata;
      const status: JsonObject = { relatedObjects };
      await kube.patch(refOf(object), { metadata: { uid }, status }, { fieldManager, subresource: 'status', signal });
    } catch (thrown) {
      if (signal.aborted) throw thrown;
    }
  }
}
