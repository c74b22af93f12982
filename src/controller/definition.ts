import type { CacheChange, KubeObject, ListTarget, NamespacedName } from '../kube/index.ts';
import type { PolicyRule } from '../rbac/index.ts';
import type { Step } from './controller.ts';
import type { StatusHolder, StatusWriter } from './status.ts';

/** One reconcile of one object. */
export interface ReconcileRun extends StatusHolder {
  /** What steps set is written after the last one, also when one of them throws. */
  readonly status?: StatusWriter;
  /** Ends the reconcile, with its reason as the error, before the next write. */
  readonly ending?: AbortSignal | undefined;
  /** When to reconcile again although nothing changes; see `requeueAfter`. */
  requeueAfterMs?: number;
}

/** Objects of another kind whose changes concern objects that the controller reconciles. */
export interface Watch {
  readonly target: ListTarget;
  /** Which objects to reconcile after a change. Must not wait. */
  readonly requestsFor: (change: CacheChange<KubeObject>) => Iterable<NamespacedName>;
  /** Whether the cluster may lack the kind: the controller works without it then. Default false. */
  readonly isOptional?: boolean;
}

/** Rules of role-based access control that a controller needs for itself, for its service account. */
export interface Permissions {
  /** In all namespaces, and for cluster-scoped kinds. */
  readonly cluster?: readonly PolicyRule[];
  /** In the system namespace alone. */
  readonly system?: readonly PolicyRule[];
}

/** A controller: which kind it reconciles, by which steps, and what it needs for that. The manager runs it. */
export interface ControllerDefinition<Context, Run extends ReconcileRun> {
  /** In logs, metrics and traces. */
  readonly name: string;
  /** The objects that it reconciles: namespaced or cluster-scoped. */
  readonly for: ListTarget;
  /** Reads the object where it is not to be cached; undefined where there is none. */
  readonly read?: (context: Context, request: NamespacedName, signal: AbortSignal) => Promise<KubeObject | undefined>;
  /** Initial requests, in addition to all cached objects. */
  readonly firstRequests?: readonly NamespacedName[];
  /** Kinds whose objects have an object of `for` as their controller (`ownerReferences[].controller`). */
  readonly owns?: readonly ListTarget[];
  readonly watches?: (context: Context) => readonly Watch[];
  /** The run of an object, undefined where the object is not for this process. */
  readonly begin: (context: Context, object: KubeObject) => Run | undefined | Promise<Run | undefined>;
  /** In their order; one that returns `stop`, or throws, is the last. */
  readonly steps: readonly Step<Run>[];
  /** The object does not exist: forgets what is known about it. */
  readonly forget?: (context: Context, request: NamespacedName) => Promise<void> | void;
  readonly permissions: Permissions;
  /** Changes within this time lead to one reconcile of an object: for what only reports about others that change in quick succession. Default:
   *  each is reconciled at once. */
  readonly gatherMs?: number;
  /** Whether it works in processes that do not lead as well. Default false. */
  readonly runsOnEveryReplica?: boolean;
  /** Whether the cluster may lack the kind: the other controllers work all the same. Default false. */
  readonly isOptional?: boolean;
}

/** Names the types of a definition. */
export function defineController<Context, Run extends ReconcileRun>(
  definition: ControllerDefinition<Context, Run>,
): ControllerDefinition<Context, Run> {
  return definition;
}

/** Requests another reconcile after `afterMs`; of several the first one counts, and one that is overdue is due now. */
export function requeueAfter(run: ReconcileRun, afterMs: number): void {
  run.requeueAfterMs = Math.min(run.requeueAfterMs ?? Number.POSITIVE_INFINITY, Math.max(0, afterMs));
}
