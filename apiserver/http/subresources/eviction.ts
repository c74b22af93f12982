import { formatTimestamp, isJsonEqual, isJsonObject, type JsonObject } from '../../../src/base/index.ts';
import {
  badRequest,
  copyJson,
  forbidden,
  type KubeObject,
  matchesLabelSelector,
  StatusError,
} from '../../core/index.ts';
import { checkPreconditions, type DeletionOptions, type WriteContext } from '../../registry/index.ts';
import type { ResourceCall } from '../api-parts.ts';
import type { Reply } from '../exchange.ts';
import { encodeValue } from '../object-output.ts';
import { readObject, virtualForm } from '../read-handlers.ts';
import { targetOf } from '../write-handlers.ts';
import { readWriteOptions } from '../write-options.ts';
import { readPosted } from './posted-body.ts';

const success: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
const budgets = 'poddisruptionbudgets';
const mostDisrupted = 2000;

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function countOf(parent: JsonObject, key: string): number {
  const value = parent[key];
  return typeof value === 'number' ? value : 0;
}

/** Pods that do not run, or not for long: evicting them disrupts nothing. */
function isHarmless({ metadata, status }: KubeObject): boolean {
  const { phase } = objectOf(status);
  const isOver = phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
  return isOver || metadata.deletionTimestamp !== undefined;
}

function isReady({ status }: KubeObject): boolean {
  const { conditions } = objectOf(status);
  return Array.isArray(conditions) && conditions.some((condition) => isReadyCondition(objectOf(condition)));
}

function isReadyCondition({ type, status }: JsonObject): boolean {
  return type === 'Ready' && status === 'True';
}

/** The budget of the pod. Budgets may be many and large: each is read in a turn of its own.
 *  @throws StatusError 500 when it has several */
async function budgetOf(call: ResourceCall, pod: KubeObject): Promise<KubeObject | undefined> {
  let own: KubeObject | undefined;
  for (const entry of call.parts.store.list(`${budgets}.policy`, call.request.namespace)) {
    await call.exchange.nextTurn();
    const budget = entry.object;
    if (!matchesLabelSelector(objectOf(budget.spec)['selector'], pod.metadata.labels)) continue;
    if (own !== undefined) throw several();
    own = budget;
  }
  return own;
}

function several(): StatusError {
  const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
  return new StatusError({ code: 500, message });
}

function refused(why: string, retryAfterSeconds?: number): StatusError {
  return new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      causes: [{ reason: 'DisruptionBudget', message: `The disruption budget ${why}` }],
    },
  });
}

/** Pods that are not ready may be evicted if the budget allows it, or if enough others are ready. */
function mayGoUnready(budget: KubeObject): boolean {
  const status = objectOf(budget['status']);
  const [current, desired] = [countOf(status, 'currentHealthy'), countOf(status, 'desiredHealthy')];
  const isAlways = objectOf(budget['spec'])['unhealthyPodEvictionPolicy'] === 'AlwaysAllow';
  return isAlways || (current >= desired && desired > 0);
}

function checkBudget({ metadata, status: given }: KubeObject): void {
  const status = objectOf(given);
  const { name = '', generation = 0 } = metadata;
  if (countOf(status, 'observedGeneration') < generation) {
    throw refused(`${name} is still being processed by the server.`, 10);
  }
  const resource = { group: 'policy', plural: 'poddisruptionbudget', name };
  const allowed = countOf(status, 'disruptionsAllowed');
  if (allowed < 0) throw forbidden(resource, 'pdb disruptions allowed is negative');
  if (Object.keys(objectOf(status['disruptedPods'])).length > mostDisrupted) {
    throw forbidden(resource, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (allowed > 0) return;
  const [desired, current] = [countOf(status, 'desiredHealthy'), countOf(status, 'currentHealthy')];
  throw refused(`${name} needs ${desired} healthy pods and has ${current} currently`);
}

function insufficient(status: JsonObject, now: string): JsonObject {
  return {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'InsufficientPods',
    message: '',
    lastTransitionTime: now,
    observedGeneration: countOf(status, 'observedGeneration'),
  };
}

/** The budget with one disruption less, and the pod among those on their way. */
function spent(budget: KubeObject, pod: string, now: string): KubeObject {
  checkBudget(budget);
  const next = copyJson(budget);
  const status = objectOf(next['status']);
  const left = countOf(status, 'disruptionsAllowed') - 1;
  status['disruptionsAllowed'] = left;
  status['disruptedPods'] = { ...objectOf(status['disruptedPods']), [pod]: now };
  if (left === 0) {
    const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
    const others = conditions.filter((condition) => objectOf(condition)['type'] !== 'DisruptionAllowed');
    status['conditions'] = [...others, insufficient(status, now)];
  }
  return next;
}

async function spendBudget(call: ResourceCall, budget: KubeObject, context: WriteContext): Promise<void> {
  const { parts, request } = call;
  const type = parts.types.find('policy', 'v1', budgets);
  if (type === undefined) return;
  const { namespace } = request;
  const target = { type, namespace, name: budget.metadata.name ?? '', subresource: 'status' };
  const build = (live: KubeObject | undefined): KubeObject =>
    spent(live ?? budget, request.name, formatTimestamp(parts.clock.now()));
  await parts.writer.update({ target, build, createsAbsent: false, isTracked: false, isPatch: true }, context);
}

function withTarget(pod: KubeObject, now: string): KubeObject {
  const next = copyJson(pod);
  const status = objectOf(next['status']);
  const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
  const others = conditions.filter((condition) => objectOf(condition)['type'] !== 'DisruptionTarget');
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastProbeTime: null,
    lastTransitionTime: now,
  };
  next['status'] = { ...status, conditions: [...others, condition] };
  return next;
}

function dryRunOf(given: unknown, inQuery: boolean): boolean {
  const inBody = Array.isArray(given) && given.length > 0;
  if (inBody && !isJsonEqual(given, ['All'])) throw badRequest('Invalid dry run option');
  return inBody || inQuery;
}

function deletionOf({ gracePeriodSeconds, preconditions }: JsonObject): DeletionOptions {
  const { uid, resourceVersion } = objectOf(preconditions);
  return {
    gracePeriodSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined,
    uid: textOf(uid),
    resourceVersion: textOf(resourceVersion),
  };
}

/** `policy/v1 Eviction`: deletes the pod unless a disruption budget forbids it. */
export async function evictPod(call: ResourceCall): Promise<Reply> {
  const { parts, request } = call;
  const form = virtualForm(call);
  const { context: asked, validation } = readWriteOptions(call, 'CreateOptions');
  const posted = await readPosted(call, { group: 'policy', version: 'v1', kind: 'Eviction' }, validation);
  const { name = request.name } = posted.metadata;
  if (name !== request.name) throw badRequest('name in URL does not match name in Eviction object');
  const target = { ...targetOf(call), subresource: 'eviction' };
  const eviction = await parts.writer.admitPosted(target, posted, asked);
  const options = objectOf(eviction['deleteOptions']);
  const context = { ...asked, dryRun: dryRunOf(options['dryRun'], asked.dryRun), isAdmitted: true };
  const pod = readObject(call);
  const budget = isHarmless(pod) ? undefined : await budgetOf(call, pod);
  if (budget !== undefined && (isReady(pod) || !mayGoUnready(budget))) {
    if (context.dryRun) checkBudget(budget);
    else await spendBudget(call, budget, asked);
  }
  const deletion = deletionOf(options);
  if (!context.dryRun) {
    const build = (live = pod): KubeObject => {
      checkPreconditions(call.type, live, deletion);
      return withTarget(live, formatTimestamp(parts.clock.now()));
    };
    await parts.writer.update({ target, build, createsAbsent: false, isTracked: false, isPatch: true }, context);
  }
  await parts.writer.delete({ ...target, subresource: undefined }, deletion, context);
  return encodeValue(201, success, form);
}
