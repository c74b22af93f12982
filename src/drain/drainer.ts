import { type Clock, errorMessage, mapLimit, serverText } from '../base/index.ts';
import { isBudgetRefusal, isConflict, isKubeError, isNotFound, type KubeClient } from '../kube/index.ts';
import type { BudgetFacts } from './budgets.ts';
import type { DrainPlan, LeavingPod } from './plan.ts';
import type { DrainablePod } from './pods.ts';
import { type DecidedBy, describeDecidedBy } from './rules.ts';

/** A pod that cannot go yet. */
export interface BlockedPod {
  readonly pod: DrainablePod;
  readonly kind: 'budget' | 'terminating' | 'waitCompleted' | 'error' | 'refused';
  /** `PodDisruptionBudget web`, `Terminating`, `WaitCompleted by DrainRule jobs`, or the error. */
  readonly cause: string;
  /** By what it is awaited. */
  readonly awaitedBy?: DecidedBy;
}

/** The state of a drain after a step. */
export interface DrainProgress {
  readonly isDone: boolean;
  /** Pods that must still go, in all steps. */
  readonly remaining: number;
  /** Pods of the present step that cannot go yet. */
  readonly blocking: readonly BlockedPod[];
  /** When to come back although no pod changes. */
  readonly retryAfterMs?: number;
}

export interface DrainerOptions {
  readonly kube: Pick<KubeClient, 'evict'>;
  readonly clock: Clock;
  /** The budgets of a pod now. */
  budgetsOf(pod: DrainablePod): readonly BudgetFacts[];
  /** Shifts retries so that many drains do not come together; from 0 to 1. Default: Math.random. */
  readonly random?: () => number;
  /** The longest time between two requests of an eviction. Default: 1000 s. */
  readonly maxRetryMs?: number;
}

/** A refused eviction is requested again after this time, twice as long each time. */
const firstRetryMs = 5_000;
const defaultMaxRetryMs = 1_000_000;
/** Evictions at the same time, per node. */
const parallel = 10;
/** Of the text that the API server, or a webhook, refuses an eviction with. */
const maxErrorCharacters = 300;
/** Grace on a node whose kubelet does not answer. */
const unreachableGraceSeconds = 1;

interface Refusal {
  readonly tries: number;
  readonly nextMs: number;
  readonly blocked: BlockedPod;
}

/** The namespace is being deleted, and the pod with it; or another pod has the name by now, which the cache is about to show. */
function isLeaving(thrown: unknown): boolean {
  if (isConflict(thrown)) return true;
  if (!isKubeError(thrown) || thrown.failure.status !== 403) return false;
  return thrown.failure.causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

const terminating = (pod: DrainablePod): BlockedPod => ({ pod, kind: 'terminating', cause: 'Terminating' });

function describePod({ namespace, name }: DrainablePod): string {
  return `${namespace}/${name}`;
}

/** What ends the wait for a pod. */
function endOfWait({ pod, awaitedBy }: BlockedPod): string {
  if (awaitedBy === undefined) return '';
  if ('rule' in awaitedBy) return `. To evict ${describePod(pod)} instead, change DrainRule ${awaitedBy.rule}`;
  return `. To evict ${describePod(pod)} instead: kubectl label pod -n ${pod.namespace} ${pod.name} ${awaitedBy.label}-`;
}

function awaitedPod(pod: DrainablePod, awaitedBy: DecidedBy): BlockedPod {
  return { pod, kind: 'waitCompleted', cause: `WaitCompleted by ${describeDecidedBy(awaitedBy)}`, awaitedBy };
}

/** `web/a (PodDisruptionBudget web), … and 3 others`: five at most; of a pod that is awaited, how that is ended. */
export function describeBlocked(blocking: readonly BlockedPod[]): string {
  const shown = blocking.slice(0, 5).map(({ pod, cause }) => `${describePod(pod)} (${cause})`);
  const others = blocking.length - shown.length;
  const more = others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`;
  const awaited = blocking.find(({ awaitedBy }) => awaitedBy !== undefined);
  return `${shown.join(', ')}${more}${awaited === undefined ? '' : endOfWait(awaited)}`;
}

/** Evicts the pods of one node. Each call of `advance` requests what may be requested now, and returns at once; what it remembers is only when an
 *  eviction was refused. */
export class Drainer {
  readonly #options: DrainerOptions;
  readonly #refusals = new Map<string, Refusal>();

  constructor(options: DrainerOptions) {
    this.#options = options;
  }

  /** Evictions that were requested so far and refused, most tries of one pod. */
  get attempts(): number {
    return Math.max(0, ...[...this.#refusals.values()].map(({ tries }) => tries));
  }

  /** Takes the first step of the plan further. */
  async advance(
    plan: DrainPlan,
    { isUnreachable = false, signal }: { readonly isUnreachable?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<DrainProgress> {
    const [step = []] = plan.steps;
    const remaining = plan.steps.reduce((sum, pods) => sum + pods.length, 0);
    this.#forgetOthers(step);
    if (plan.refused.length > 0) {
      const blocking = plan.refused.map(({ pod, reason }): BlockedPod => ({ pod, kind: 'refused', cause: reason }));
      return { isDone: false, remaining: remaining + blocking.length, blocking };
    }
    const outcomes = await mapLimit(step, parallel, (leaving) => this.#evict(leaving, { isUnreachable, signal }));
    const blocking = outcomes.filter((outcome) => outcome !== undefined);
    const gone = outcomes.length - blocking.length;
    const nextMs = Math.min(...step.map(({ pod }) => this.#refusals.get(pod.uid)?.nextMs ?? Number.POSITIVE_INFINITY));
    const retryAfterMs = Math.max(0, nextMs - this.#options.clock.now());
    return {
      isDone: remaining - gone === 0,
      remaining: remaining - gone,
      blocking,
      ...(Number.isFinite(retryAfterMs) ? { retryAfterMs } : {}),
    };
  }

  #forgetOthers(step: readonly LeavingPod[]): void {
    const present = new Set(step.map(({ pod }) => pod.uid));
    for (const uid of this.#refusals.keys()) if (!present.has(uid)) this.#refusals.delete(uid);
  }

  /** Undefined once the pod does not exist. */
  async #evict(
    { pod, awaitedBy }: LeavingPod,
    { isUnreachable, signal }: { readonly isUnreachable: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<BlockedPod | undefined> {
    if (pod.deletionMs !== undefined) return terminating(pod);
    if (awaitedBy !== undefined) return awaitedPod(pod, awaitedBy);
    const refusal = this.#refusals.get(pod.uid);
    if (refusal !== undefined && !this.#isDue(refusal)) return refusal.blocked;
    try {
      const grace = isUnreachable ? { gracePeriodSeconds: unreachableGraceSeconds } : {};
      await this.#options.kube.evict(pod, { uid: pod.uid, ...grace, signal });
      this.#refusals.delete(pod.uid);
      return terminating(pod);
    } catch (thrown) {
      signal?.throwIfAborted();
      if (isNotFound(thrown)) return undefined;
      return isLeaving(thrown) ? terminating(pod) : this.#refuse(pod, thrown);
    }
  }

  /** A budget that allows disruptions again is not waited for. */
  #isDue({ blocked, nextMs }: Refusal): boolean {
    if (nextMs <= this.#options.clock.now()) return true;
    if (blocked.kind !== 'budget') return false;
    const budgets = this.#options.budgetsOf(blocked.pod);
    return budgets.length === 1 && budgets.every(({ disruptionsAllowed }) => disruptionsAllowed > 0);
  }

  #refuse(pod: DrainablePod, thrown: unknown): BlockedPod {
    const { clock, random = Math.random, maxRetryMs = defaultMaxRetryMs } = this.#options;
    const tries = (this.#refusals.get(pod.uid)?.tries ?? 0) + 1;
    const pauseMs = Math.min(firstRetryMs * 2 ** Math.min(tries - 1, 20), maxRetryMs);
    const isBudget = isBudgetRefusal(thrown);
    const names = isBudget ? this.#options.budgetsOf(pod).map(({ name }) => name) : [];
    const text = serverText(errorMessage(thrown), maxErrorCharacters);
    const error = `error when evicting pods/"${pod.name}" -n "${pod.namespace}": ${text}`;
    const cause = names.length === 0 ? error : `PodDisruptionBudget ${names.join(', ')}`;
    const blocked: BlockedPod = { pod, kind: isBudget ? 'budget' : 'error', cause };
    this.#refusals.set(pod.uid, { tries, nextMs: clock.now() + pauseMs * (1 + 0.2 * random()), blocked });
    return blocked;
  }
}
