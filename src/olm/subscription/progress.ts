import {
  type InstallPlan,
  installPlanResource,
  olmAnnotations,
  type Subscription,
  type SubscriptionState,
  type SubscriptionStatus,
} from '../../api/index.ts';
import { componentLabel, listedPackage, listedProperties } from '../../operators/index.ts';
import { withCondition, withoutConditions } from './conditions.ts';
import { isFailForward, type Situation } from './situation.ts';

/** The plan that a Subscription refers to; undefined where it does not exist any more, even if another one has its name. */
export function planOf({ installPlanRef }: SubscriptionStatus, situation: Situation): InstallPlan | undefined {
  const plan = situation.plans.get(installPlanRef?.name ?? '');
  const { uid = plan?.metadata.uid } = installPlanRef ?? {};
  return plan?.metadata.uid === uid ? plan : undefined;
}

/** The members of a status that refer to a plan. */
export function planReference(
  plan: InstallPlan,
): Required<Pick<SubscriptionStatus, 'installPlanRef' | 'installplan' | 'installPlanGeneration'>> {
  const { apiVersion, kind } = installPlanResource;
  const { name, namespace = '', uid = '', resourceVersion = '' } = plan.metadata;
  return {
    installPlanRef: { apiVersion, kind, name, namespace, uid, resourceVersion },
    installplan: { apiVersion, kind, name, uuid: uid },
    installPlanGeneration: plan.spec.generation ?? 0,
  };
}

/** A Subscription that a plan created for a dependency belongs to that plan. The annotation may be written by others, and outlive its plan: it counts only
 *  where the plan installs what the Subscription starts with. */
function followGenerated(
  { metadata, spec }: Subscription,
  status: SubscriptionStatus,
  situation: Situation,
): SubscriptionStatus {
  const generatedBy = metadata.annotations?.[olmAnnotations.generatedBy];
  if (status.installPlanRef !== undefined || generatedBy === undefined) return status;
  const plan = situation.plans.get(generatedBy);
  const { startingCSV = '' } = spec;
  if (plan === undefined || !plan.spec.clusterServiceVersionNames.includes(startingCSV)) return status;
  const { installPlanRef, installplan } = planReference(plan);
  return { ...status, installPlanRef, installplan, currentCSV: startingCSV };
}

/** Plans that were made for a Subscription after the one that it refers to, the newest first. */
function laterPlans({ metadata, spec }: Subscription, status: SubscriptionStatus, situation: Situation): InstallPlan[] {
  const { uid = '', namespace = '' } = metadata;
  const label = componentLabel(spec.name, namespace);
  const { installPlanGeneration = 0 } = status;
  return [...situation.plans.values()]
    .filter((plan) => {
      const { ownerReferences = [], labels = {} } = plan.metadata;
      const isMadeFor = labels[label] !== undefined && ownerReferences.some((owner) => owner.uid === uid);
      return isMadeFor && (plan.spec.generation ?? 0) > installPlanGeneration;
    })
    .toSorted((a, b) => (b.spec.generation ?? 0) - (a.spec.generation ?? 0));
}

/** A plan whose Subscription does not refer to it, because the process that made it was interrupted, may have installed its ClusterServiceVersion by now:
 *  it would count as one that no Subscription has requested, and nothing could be resolved any more. */
function followInstalling(
  subscription: Subscription,
  status: SubscriptionStatus,
  situation: Situation,
): SubscriptionStatus {
  for (const plan of laterPlans(subscription, status, situation)) {
    const names = new Set(plan.spec.clusterServiceVersionNames);
    const installed = situation.csvs.find((csv) => {
      return names.has(csv.metadata.name) && listedPackage(listedProperties(csv) ?? []) === subscription.spec.name;
    });
    if (installed !== undefined) return { ...status, ...planReference(plan), currentCSV: installed.metadata.name };
  }
  return status;
}

function stateOf(status: SubscriptionStatus, situation: Situation): SubscriptionState {
  const isFailed = isFailForward(situation) && planOf(status, situation)?.status?.phase === 'Failed';
  return isFailed ? 'UpgradeFailed' : 'UpgradePending';
}

/** What is installed, by the ClusterServiceVersions that exist. */
function followCsv(status: SubscriptionStatus, situation: Situation): SubscriptionStatus {
  const { currentCSV = '' } = status;
  if (currentCSV === '') return status;
  if (situation.csvNames.has(currentCSV)) return { ...status, state: 'AtLatestKnown', installedCSV: currentCSV };
  return { ...status, state: stateOf(status, situation) };
}

/** A plan that was deleted before it installed anything is made again. */
function followDeletedPlan(status: SubscriptionStatus, situation: Situation): SubscriptionStatus {
  if (status.state !== 'UpgradePending' || status.installPlanRef === undefined) return status;
  if (planOf(status, situation) !== undefined) return status;
  const { installPlanRef: _ref, installplan: _legacy, currentCSV: _csv, state: _state, ...rest } = status;
  return rest;
}

/** A ClusterServiceVersion that was deleted while its Subscription was kept is not installed again: that is reported.
 *  @see docs/spec/olm-v0.md#corrections-observed-with-the-real-olm-v0-46-on-an-api-server */
function reportDeletedCsv(status: SubscriptionStatus, situation: Situation, now: string): SubscriptionStatus {
  const { currentCSV, installedCSV = '', state, installPlanRef } = status;
  if (
    state !== 'UpgradePending' ||
    installedCSV === '' ||
    installedCSV !== currentCSV ||
    installPlanRef === undefined
  ) {
    return withoutConditions(status, 'InstalledCSVMissing');
  }
  const message =
    `clusterserviceversion ${installedCSV} was installed and does not exist any more: ` +
    `delete InstallPlan ${installPlanRef.name ?? ''} to have it installed again, or delete the Subscription`;
  return withCondition(
    status,
    { type: 'InstalledCSVMissing', status: 'True', reason: 'InstalledCSVDeleted', message },
    now,
  );
}

/** The status of a Subscription with its state as the namespace has it.
 *  @see docs/spec/olm-v0.md#resolution-per-namespace, docs/spec/olm-v0.md#subscription-status */
export function followProgress(subscription: Subscription, situation: Situation, now: string): SubscriptionStatus {
  const before = subscription.status ?? { lastUpdated: now };
  const generated = followGenerated(subscription, before, situation);
  const installing = followInstalling(subscription, generated, situation);
  const installed = followDeletedPlan(followCsv(installing, situation), situation);
  return reportDeletedCsv(installed, situation, now);
}

/** A plan was made for it that has not installed anything yet. */
export function isPending({ state, installPlanRef }: SubscriptionStatus): boolean {
  return state === 'UpgradePending' && installPlanRef !== undefined;
}
