import type { InstallPlan, SubscriptionStatus } from '../../api/index.ts';
import { type DesiredCondition, withCondition, withoutConditions } from './conditions.ts';
import { planOf } from './progress.ts';
import type { Situation } from './situation.ts';

const planConditions = ['InstallPlanMissing', 'InstallPlanPending', 'InstallPlanFailed'] as const;

/** What the plan says about itself: why it is not done. */
function messageOf({ status }: InstallPlan): string {
  const installed = status?.conditions?.find(({ type }) => type === 'Installed');
  const { message = '' } = installed?.status === 'Unknown' ? {} : (installed ?? {});
  return message === '' ? (status?.message ?? '') : message;
}

function planCondition(plan: InstallPlan | undefined): DesiredCondition | undefined {
  if (plan === undefined)
    return { type: 'InstallPlanMissing', status: 'True', reason: 'ReferencedInstallPlanNotFound' };
  const { phase = '', conditions = [] } = plan.status ?? {};
  const message = messageOf(plan);
  switch (phase) {
    case '':
      return { type: 'InstallPlanPending', status: 'True', reason: 'InstallPlanNotYetReconciled', message };
    case 'Planning':
    case 'Installing':
    case 'RequiresApproval':
      return { type: 'InstallPlanPending', status: 'True', reason: phase, message };
    case 'Failed': {
      const installed = conditions.find(({ type }) => type === 'Installed');
      const reason = (installed?.status === 'False' ? installed.reason : undefined) ?? 'InstallPlanFailed';
      return { type: 'InstallPlanFailed', status: 'True', reason, message };
    }
    default:
      return undefined;
  }
}

/** The status with what has become of its plan: at most one of the conditions.
 *  @see docs/spec/olm-v0.md#subscription-status */
export function reportPlan(status: SubscriptionStatus, situation: Situation, now: string): SubscriptionStatus {
  const condition = status.installPlanRef === undefined ? undefined : planCondition(planOf(status, situation));
  const others = planConditions.filter((type) => type !== condition?.type);
  const rest = withoutConditions(status, ...others);
  return condition === undefined ? rest : withCondition(rest, condition, now);
}
