import type { InstallPlan, SubscriptionStatus } from '../../api/index.ts';
import { type DesiredCondition, withCondition, withoutConditions } from './conditions.ts';
import { planOf } from './progress.ts';
import type { Situation } from './situation.ts';

const planConditions = ['InstallPlanMissing', 'InstallPlanPending', 'InstallPlanFailed'] as const;

type Installed = NonNullable<NonNullable<InstallPlan['status']>['conditions']>[number];

function installedOf({ status }: InstallPlan): Installed | undefined {
  return status?.conditions?.find(({ type }) => type === 'Installed');
}

/** Why the plan is not done, in its own words. */
function messageOf(plan: InstallPlan): string {
  const installed = installedOf(plan);
  const { message = '' } = installed?.status === 'Unknown' ? {} : (installed ?? {});
  return message === '' ? (plan.status?.message ?? '') : message;
}

function failureReason(plan: InstallPlan): string {
  const installed = installedOf(plan);
  return (installed?.status === 'False' ? installed.reason : undefined) ?? 'InstallPlanFailed';
}

const pendingPhases: ReadonlySet<string> = new Set(['Planning', 'Installing', 'RequiresApproval']);

function planCondition(plan: InstallPlan | undefined): DesiredCondition | undefined {
  if (plan === undefined)
    return { type: 'InstallPlanMissing', status: 'True', reason: 'ReferencedInstallPlanNotFound' };
  const phase = plan.status?.phase ?? '';
  const report = { status: 'True', message: messageOf(plan) } as const;
  if (phase === '') return { ...report, type: 'InstallPlanPending', reason: 'InstallPlanNotYetReconciled' };
  if (pendingPhases.has(phase)) return { ...report, type: 'InstallPlanPending', reason: phase };
  if (phase === 'Failed') return { ...report, type: 'InstallPlanFailed', reason: failureReason(plan) };
  return undefined;
}

/** The status with what has become of its plan: at most one of the conditions.
 *  @see docs/spec/olm-v0.md#subscription-status */
export function reportPlan(status: SubscriptionStatus, situation: Situation, now: string): SubscriptionStatus {
  const condition = status.installPlanRef === undefined ? undefined : planCondition(planOf(status, situation));
  const others = planConditions.filter((type) => type !== condition?.type);
  const rest = withoutConditions(status, ...others);
  return condition === undefined ? rest : withCondition(rest, condition, now);
}
