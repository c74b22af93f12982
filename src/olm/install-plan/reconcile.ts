import { parseInstallPlan } from '../../api/index.ts';
import { errorMessage, TerminalError, TransientError, WaitingError } from '../../base/index.ts';
import type { Step } from '../../controller/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import {
  describeRef,
  formatNamespacedName,
  isNotFound,
  isOtherObject,
  namespacedName,
  refOf,
} from '../../kube/index.ts';
import type { UnavailableSource } from '../catalog-source/views.ts';
import { accountFor } from './account.ts';
import { executePlan } from './execute.ts';
import { resolvePlan } from './hand-written.ts';
import { outdatedPlans } from './retention.ts';
import { type PlanRun, planOf, setFailed, setInstalled, setPhase, setStatus, statusOf } from './run.ts';

/** A catalog that cannot be read may be readable later. */
const catalogPollMs = 30_000;
/** Another client that creates a plan writes its steps right afterwards, as it cannot write them at once. */
const graceMs = 2_000;

function namespaceOf(run: PlanRun): string {
  return planOf(run).metadata.namespace ?? '';
}

/** Deletes old plans of the namespace. */
const collectOutdated: Step<PlanRun> = async ({ context, object }, { signal }) => {
  const plans = context.plans.inNamespace(object.metadata.namespace ?? '');
  const alive = plans.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  for (const { metadata } of outdatedPlans(alive.map(parseInstallPlan))) {
    const { name, namespace, uid } = metadata;
    try {
      await context.kube.delete({ ...refOf(object), name, namespace }, { ...(uid !== undefined && { uid }), signal });
      context.log.info({ namespace, plan: name }, 'old InstallPlan deleted');
    } catch (thrown) {
      if (!isNotFound(thrown) && !isOtherObject(thrown)) throw thrown;
    }
  }
  return undefined;
};

/** Whether the steps are to be found for what a user wrote. */
function isHandWritten(run: PlanRun): boolean {
  const { bundleLookups = [], phase } = statusOf(run);
  const isOfSubscription = (planOf(run).metadata.ownerReferences ?? []).some(({ kind }) => kind === 'Subscription');
  return bundleLookups.length === 0 && !isOfSubscription && phase !== 'Failed' && phase !== 'Complete';
}

/** Another attempt helps if a catalog could not be read.
 *  @throws what is no fault of the plan */
function reportUnresolved(run: PlanRun, thrown: unknown, unavailable: UnavailableSource | undefined): void {
  const text = errorMessage(thrown);
  if (thrown instanceof TerminalError && unavailable !== undefined) {
    const { namespace, name, why } = unavailable;
    setPhase(run, 'Planning', `${text}; error using catalogsource ${namespace}/${name}: ${why}`);
    run.context.waiting.add(formatNamespacedName(namespacedName(run.object)));
    requeueAfter(run, catalogPollMs);
    return;
  }
  if (thrown instanceof TerminalError) {
    setFailed(run, 'DependenciesConflict', text);
    return;
  }
  if (thrown instanceof WaitingError || thrown instanceof TransientError) setPhase(run, 'Planning', text);
  throw thrown;
}

/** Resolves a plan that a user wrote. */
const resolveHandWritten: Step<PlanRun> = async (run, { signal }) => {
  if ((statusOf(run).plan ?? []).length > 0) return undefined;
  if (!isHandWritten(run)) return 'stop';
  const ageMs = run.context.clock.now() - Date.parse(run.object.metadata.creationTimestamp ?? '');
  if (ageMs >= 0 && ageMs < graceMs) {
    requeueAfter(run, graceMs - ageMs);
    return 'stop';
  }
  run.context.waiting.delete(formatNamespacedName(namespacedName(run.object)));
  using held = run.context.views.hold(namespaceOf(run));
  try {
    const { steps: found, catalogSources } = await resolvePlan(run, held, signal);
    setPhase(run, 'Planning');
    const plan = found.map((step) => ({ ...step, resource: { ...step.resource } }));
    setStatus(run, { plan, catalogSources: [...catalogSources] });
    return undefined;
  } catch (thrown) {
    reportUnresolved(run, thrown, held.unavailable[0]);
    return 'stop';
  }
};

/** Ends with plans that are final, but for those whose account may have got the permissions that it lacked. */
const leaveFinal: Step<PlanRun> = async (run) => {
  await Promise.resolve();
  const { phase, attenuatedServiceAccountRef } = statusOf(run);
  if (phase !== 'Complete' && phase !== 'Failed') return undefined;
  const isRevived = run.context.revived.delete(run.object.metadata.uid ?? '');
  if (phase === 'Complete' || attenuatedServiceAccountRef === undefined || !isRevived) return 'stop';
  setPhase(run, 'Installing');
  setStatus(run, { startTime: null });
  return undefined;
};

/** Finds out with whose permissions the steps are applied. */
const checkAccount: Step<PlanRun> = async (run, { signal }) => {
  const namespace = namespaceOf(run);
  const result = await accountFor(run.context, namespace, signal);
  if ('problem' in result) {
    if (statusOf(run).phase === 'Planning') decidePhase(run);
    setInstalled(run, { status: 'False', reason: 'InstallCheckFailed', message: result.problem });
    return 'stop';
  }
  const { account } = result;
  run.account = account?.name;
  const conditions = statusOf(run).conditions ?? [];
  const others = conditions.filter(({ reason }) => reason !== 'InstallCheckFailed');
  if (others.length < conditions.length) setStatus(run, { conditions: others.map((condition) => ({ ...condition })) });
  const reference = account === undefined ? null : { apiVersion: 'v1', kind: 'ServiceAccount', namespace, ...account };
  setStatus(run, { attenuatedServiceAccountRef: reference });
  return undefined;
};

function decidePhase(run: PlanRun): void {
  const { approval, approved } = planOf(run).spec;
  setPhase(run, approval === 'Manual' && !approved ? 'RequiresApproval' : 'Installing');
}

/** Sets the first phase, and waits for approval. */
const awaitApproval: Step<PlanRun> = async (run) => {
  await Promise.resolve();
  const { phase } = statusOf(run);
  if (phase === '' || phase === 'Planning') decidePhase(run);
  if (phase === 'RequiresApproval' && planOf(run).spec.approved) setPhase(run, 'Installing');
  return statusOf(run).phase === 'Installing' ? undefined : 'stop';
};

const execute: Step<PlanRun> = async (run, { signal, log }) => {
  await executePlan(run, signal);
  log.debug({ plan: describeRef(refOf(run.object)), phase: statusOf(run).phase }, 'plan executed');
  return undefined;
};

/** Brings an InstallPlan from its steps to installed objects. */
export const steps: readonly Step<PlanRun>[] = [
  collectOutdated,
  resolveHandWritten,
  leaveFinal,
  checkAccount,
  awaitApproval,
  execute,
];
