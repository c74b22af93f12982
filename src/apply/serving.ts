import { type Clock, isJsonEqual, isJsonObject, type JsonObject, objectAt, objectsAt, textAt } from '../base/index.ts';
import {
  describeRef,
  isKubeError,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
  refKey,
  refOf,
} from '../kube/index.ts';
import { healthOf } from './health/index.ts';
import type { KindRef } from './kind-list.ts';
import { fieldManager, labelledOwner, type Owner } from './ownership.ts';

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

const webhookKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** Whether the object sends requests of others to somebody who may not be up yet. */
function isWebhookConfiguration({ apiVersion, kind }: KindRef): boolean {
  return webhookKinds.includes(kind) && apiVersion.startsWith('admissionregistration.k8s.io/');
}

/** Whether it is a configuration of webhooks that nothing of `keep` is. */
export function isReplaced(ref: ObjectRef, keep: ReadonlySet<string>): boolean {
  return isWebhookConfiguration(ref) && !keep.has(refKey(ref));
}

/** An object as the readers of JSON want it. */
function json(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

function selects(selector: JsonObject, labels: JsonObject | undefined): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels?.[key] === value);
}

/** The Deployments among `all` that answer the webhooks of a configuration. */
function serversOf(configuration: KubeObject, all: readonly KubeObject[]): readonly KubeObject[] {
  const services = objectsAt(json(configuration), 'webhooks').map((webhook) =>
    objectAt(webhook, 'clientConfig', 'service'),
  );
  return all.filter((object) => {
    if (object.kind !== 'Deployment') return false;
    const { namespace } = object.metadata;
    return services.some((service) => {
      const found = all.find(
        ({ kind, metadata }) =>
          kind === 'Service' && metadata.namespace === namespace && metadata.name === textAt(service, 'name'),
      );
      if (found === undefined || textAt(service, 'namespace') !== namespace) return false;
      const selector = objectAt(json(found), 'spec', 'selector') ?? {};
      return selects(selector, objectAt(json(object), 'spec', 'template', 'metadata', 'labels'));
    });
  });
}

async function read(context: ServingContext, ref: ObjectRef): Promise<KubeObject | undefined> {
  try {
    return await context.kube.get(ref, { signal: context.signal });
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

async function isUp(context: ServingContext, deployment: KubeObject): Promise<boolean> {
  const live = await read(context, refOf(deployment));
  return live !== undefined && healthOf(live, context.clock.now()).state === 'Current';
}

/** What a configuration asks for; whom it trusts is another matter. */
function asks(configuration: KubeObject): JsonObject[] {
  return objectsAt(json(configuration), 'webhooks').map((webhook) => {
    const { caBundle: _trusted, ...clientConfig } = objectAt(webhook, 'clientConfig') ?? {};
    return isJsonObject(clientConfig) ? { ...webhook, clientConfig } : webhook;
  });
}

/** Whether writing the object would make the API server ask what it has not asked before. What the server or its owner has
 *  against the object is for the writer to find out. */
async function isNews(context: ServingContext, object: KubeObject): Promise<boolean> {
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

/** Those of `objects` that are to wait: configurations of webhooks, new or changed, that Deployments among `all` serve which
 *  are not up. Before these answer, the API server would refuse whatever it is to ask them about. */
export async function findHeld(
  context: ServingContext,
  objects: readonly KubeObject[],
  all: readonly KubeObject[],
): Promise<readonly Held[]> {
  const held: Held[] = [];
  for (const object of objects.filter(isWebhookConfiguration)) {
    const down: string[] = [];
    for (const server of serversOf(object, all)) {
      if (!(await isUp(context, server))) down.push(describeRef(refOf(server)));
    }
    if (down.length === 0 || !(await isNews(context, object))) continue;
    held.push({ ref: refOf(object), why: `waits for ${down.join(', ')}, which serves it` });
  }
  return held;
}
