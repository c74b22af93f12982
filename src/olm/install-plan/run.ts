import {
  type InstallPlan,
  type InstallPlanCondition,
  type InstallPlanPhase,
  type InstallPlanReason,
  olmFieldManager,
  parseInstallPlan,
} from '../../api/index.ts';
import { formatTimestamp, type JsonObject } from '../../base/index.ts';
import { type ReconcileRun, StatusWriter } from '../../controller/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { PlanContext } from './context.ts';

/** One reconcile of one InstallPlan. */
export interface PlanRun extends ReconcileRun {
  readonly context: PlanContext;
  readonly status: StatusWriter;
  /** ServiceAccount whose permissions the steps use; undefined: those of the controllers. Known after the account was checked. */
  account: string | undefined;
}

/** The InstallPlan, typed. */
export function planOf({ object }: PlanRun): InstallPlan {
  return parseInstallPlan(object);
}

/** The status so far; `catalogSources` and `phase` are required in it. */
export function statusOf(run: PlanRun): NonNullable<InstallPlan['status']> {
  return planOf(run).status ?? { catalogSources: [], phase: '' };
}

/** Sets members of the status; `null` removes one. */
export function setStatus(run: PlanRun, fields: JsonObject): void {
  const { catalogSources, phase } = statusOf(run);
  run.status.setFields(run, { catalogSources: [...catalogSources], phase, ...fields });
}

/** Sets the phase. */
export function setPhase(run: PlanRun, phase: InstallPlanPhase, message?: string): void {
  setStatus(run, { phase, message: message ?? null });
}

/** `Installed` as it is to be. */
interface InstalledChange {
  readonly status: string;
  readonly reason?: InstallPlanReason;
  readonly message?: string;
}

function isSameCondition(before: InstallPlanCondition | undefined, after: InstalledChange): boolean {
  const textOf = ({
    status,
    reason,
    message,
  }: Omit<InstalledChange, 'reason'> & { readonly reason?: string }): string =>
    JSON.stringify([status, reason ?? '', message ?? '']);
  return before !== undefined && textOf({ ...before, status: before.status ?? '' }) === textOf(after);
}

/** Conditions with another `Installed`; its times change as OLM changes them.
 *  @see docs/spec/olm-v0.md#install-plans */
function withInstalled(
  conditions: readonly InstallPlanCondition[],
  change: InstalledChange,
  nowMs: number,
): readonly InstallPlanCondition[] {
  const before = conditions.find(({ type }) => type === 'Installed');
  if (isSameCondition(before, change)) return conditions;
  const now = formatTimestamp(nowMs);
  const lastTransitionTime = before?.status === change.status ? (before.lastTransitionTime ?? now) : now;
  const next: InstallPlanCondition = { type: 'Installed', ...change, lastUpdateTime: now, lastTransitionTime };
  return [...conditions.filter(({ type }) => type !== 'Installed'), next];
}

/** Sets the condition `Installed`. */
export function setInstalled(run: PlanRun, change: InstalledChange): void {
  const conditions = withInstalled(statusOf(run).conditions ?? [], change, run.context.clock.now());
  setStatus(run, { conditions: conditions.map((condition) => ({ ...condition })) });
}

/** The plan has failed for good. */
export function setFailed(run: PlanRun, reason: InstallPlanReason, message: string): void {
  setPhase(run, 'Failed', message);
  setInstalled(run, { status: 'False', reason, message });
}

/** The reconcile of `object`; none when it is being deleted. */
export function beginPlan(context: PlanContext, object: KubeObject): PlanRun | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const { kube, clock, plans: cache, events } = context;
  const status = new StatusWriter(object, { kube, clock, cache, events, fieldManager: olmFieldManager });
  return { context, object, status, account: undefined };
}
