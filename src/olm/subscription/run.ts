import { olmFieldManager, type Subscription, type SubscriptionStatus } from '../../api/index.ts';
import { formatTimestamp, isJsonEqual, type JsonObject, type JsonValue } from '../../base/index.ts';
import { type ReconcileRun, StatusWriter } from '../../controller/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { type DesiredCondition, withCondition, withoutConditions } from './conditions.ts';
import type { SubscriptionContext } from './context.ts';
import { readSituation, type Situation } from './situation.ts';

/** A Subscription, and the status that it is to have. */
export interface Draft {
  readonly subscription: Subscription;
  status: SubscriptionStatus;
}

/** One reconcile of one namespace. `object` is the Namespace. */
export interface NamespaceRun extends ReconcileRun {
  readonly context: SubscriptionContext;
  /** As it was read; a plan that was made in this reconcile is added. */
  situation: Situation;
  readonly drafts: readonly Draft[];
  readonly now: string;
}

export function beginNamespace(context: SubscriptionContext, object: KubeObject): NamespaceRun | undefined {
  const { name = '', deletionTimestamp } = object.metadata;
  const { caches, globalCatalogNamespace, clock, answers, turns } = context;
  if (caches.subscriptions.inNamespace(name).length === 0 || deletionTimestamp !== undefined) {
    answers.forget(name);
    turns.forget(name);
    return undefined;
  }
  const situation = readSituation(caches, name, globalCatalogNamespace);
  const now = formatTimestamp(clock.now());
  const drafts = situation.subscriptions.map((subscription) => ({
    subscription,
    status: subscription.status ?? { lastUpdated: now },
  }));
  return { context, object, situation, drafts, now };
}

/** What the namespace has, with the statuses as they are to be. */
export function situationOf({ situation, drafts }: NamespaceRun): Situation {
  return { ...situation, subscriptions: drafts.map(({ subscription, status }) => ({ ...subscription, status })) };
}

/** Changes the status of every Subscription. */
export function reviseAll({ drafts }: NamespaceRun, revise: (draft: Draft) => SubscriptionStatus): void {
  for (const draft of drafts) draft.status = revise(draft);
}

/** Sets a condition of every Subscription: the namespace is resolved as a whole. */
export function reportToAll(run: NamespaceRun, condition: DesiredCondition): void {
  reviseAll(run, ({ status }) => withCondition(status, condition, run.now));
}

export function clearForAll(run: NamespaceRun, ...types: readonly DesiredCondition['type'][]): void {
  reviseAll(run, ({ status }) => withoutConditions(status, ...types));
}

/** Members of `after`; null for those that only `before` has. */
function changesOf(before: SubscriptionStatus, after: SubscriptionStatus): JsonObject {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return { ...(after as unknown as JsonObject), ...Object.fromEntries(removed.map((key) => [key, null])) };
}

/** Writes the statuses that changed, each in one request. */
export async function writeStatuses({ context, drafts, now }: NamespaceRun, signal: AbortSignal): Promise<void> {
  const { kube, clock, caches } = context;
  for (const { subscription, status } of drafts) {
    const before = subscription.status ?? {};
    if (isJsonEqual(before as JsonValue, status as unknown as JsonValue)) continue;
    const holder = { object: subscription as unknown as KubeObject };
    const writer = new StatusWriter(holder.object, {
      kube,
      clock,
      cache: caches.subscriptions,
      fieldManager: olmFieldManager,
    });
    writer.setFields(holder, changesOf(subscription.status ?? { lastUpdated: now }, { ...status, lastUpdated: now }));
    await writer.flush(holder, signal);
  }
}
