import { type Clock, isJsonEqual, isJsonObject } from '../base/index.ts';
import {
  describeRef,
  findObject,
  isForbidden,
  isKubeError,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
  refKey,
  refOf,
} from '../kube/index.ts';
import { healthOf } from './health/index.ts';
import { isCrd } from './kind-list.ts';
import { fieldManager, labelledOwner, type Owner } from './ownership.ts';
import { asks, isWebhookConfiguration, serversOf, servicesOf, webhookConversion } from './webhook-servers.ts';

/** An object that waits for what serves it. */
export interface Held {
  readonly ref: ObjectRef;
  readonly why: string;
}

/** What it takes to see whether servers are up. */
export interface ServingContext {
  readonly kube: KubeClient;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Whether it is a configuration of webhooks that nothing of `keep` is. */
export function isReplaced(ref: ObjectRef, keep: ReadonlySet<string>): boolean {
  return isWebhookConfiguration(ref) && !keep.has(refKey(ref));
}

async function read(context: ServingContext, ref: ObjectRef): Promise<KubeObject | undefined> {
  return await findObject(context.kube, ref, { signal: context.signal });
}

/** False where it may not be looked at. */
async function isDeleted(context: ServingContext, ref: ObjectRef): Promise<boolean> {
  try {
    return (await read(context, ref)) === undefined;
  } catch (thrown) {
    if (isForbidden(thrown)) return false;
    throw thrown;
  }
}

async function isUp(context: ServingContext, deployment: KubeObject): Promise<boolean> {
  const live = await read(context, refOf(deployment));
  return live !== undefined && healthOf(live, context.clock.now()).state === 'Current';
}

/** Whether writing the object would make the API server ask what it has not asked before. What the server or its owner has
 *  against the object is for the writer to find out. */
async function changesWebhookCalls(context: ServingContext, object: KubeObject): Promise<boolean> {
  const { kube, owner, signal } = context;
  const before = await read(context, refOf(object));
  if (before !== undefined && labelledOwner(before.metadata) !== owner.name) return false;
  try {
    const after = await kube.apply(object, { fieldManager, force: true, isDryRun: true, signal });
    return before === undefined || !isJsonEqual(asks(before), asks(after.object));
  } catch (thrown) {
    if (isKubeError(thrown)) return false;
    throw thrown;
  }
}

/** A CustomResourceDefinition with the conversion that it has in the cluster, which is to stay until what serves the new one
 *  among `all` is up. Undefined where there is nothing to keep: no webhook of the owner's converts its objects now, or the same
 *  one does, or its Service does not exist. */
export async function withLiveConversion(
  context: ServingContext,
  crd: KubeObject,
  all: readonly KubeObject[],
): Promise<KubeObject | undefined> {
  if (serversOf(crd, all).length === 0) return undefined;
  const live = await read(context, refOf(crd));
  const conversion = live === undefined ? undefined : webhookConversion(live);
  if (live === undefined || conversion === undefined || isJsonEqual(asks(live), asks(crd))) return undefined;
  if (labelledOwner(live.metadata) !== context.owner.name) return undefined;
  for (const service of servicesOf(live)) {
    if (await isDeleted(context, { apiVersion: 'v1', kind: 'Service', ...service })) return undefined;
  }
  const spec = isJsonObject(crd['spec']) ? crd['spec'] : {};
  return { ...crd, spec: { ...spec, conversion } };
}

async function mayWait(context: ServingContext, object: KubeObject, all: readonly KubeObject[]): Promise<boolean> {
  if (isWebhookConfiguration(object)) return true;
  return isCrd(object) && (await withLiveConversion(context, object, all)) !== undefined;
}

/** Those of `objects` that are to wait: configurations of webhooks, new or changed, and CustomResourceDefinitions whose webhook is to be
 *  another one, that Deployments among `all` serve which are not up. Before these answer, the API server would refuse whatever it is to
 *  ask them about. */
export async function findHeld(
  context: ServingContext,
  objects: readonly KubeObject[],
  all: readonly KubeObject[],
): Promise<readonly Held[]> {
  const held: Held[] = [];
  for (const object of objects) {
    if (!(await mayWait(context, object, all))) continue;
    const down: string[] = [];
    for (const server of serversOf(object, all)) {
      if (!(await isUp(context, server))) down.push(describeRef(refOf(server)));
    }
    if (down.length === 0 || !(await changesWebhookCalls(context, object))) continue;
    const what = isCrd(object) ? 'the new conversion waits for' : 'waits for';
    held.push({ ref: refOf(object), why: `${what} ${down.join(', ')}, which serves it` });
  }
  return held;
}
