import { operatorGroupResource } from '../../api/index.ts';
import { errorMessage, TerminalError, TransientError, WaitingError } from '../../base/index.ts';
import { requeueAfter, type Step } from '../../controller/index.ts';
import type { HeldSources } from '../catalog-source/views.ts';
import type { NamespaceAnswer, Selected, Selection } from './answer.ts';
import { conditionOf, withCondition, withoutConditions } from './conditions.ts';
import { cacheBehindMs, planInstallation } from './install.ts';
import { followProgress, isPending } from './progress.ts';
import { type NamespaceQuestion, questionOf } from './question.ts';
import { reportCatalogs } from './report-catalogs.ts';
import { reportDeprecations } from './report-deprecations.ts';
import { reportPlan } from './report-plan.ts';
import { clearForAll, type NamespaceRun, reportToAll, reviseAll, situationOf, writeStatuses } from './run.ts';
import { settledAfterMs, upgradeState } from './situation.ts';

type FailureReason = 'ConstraintsNotSatisfiable' | 'ErrorPreventedResolution';

/** Reports a failure to all Subscriptions, and once to the Namespace. */
function failResolution(run: NamespaceRun, reason: FailureReason, message: string): void {
  const before = run.drafts.map(({ status }) => conditionOf(status, 'ResolutionFailed')?.message);
  reportToAll(run, { type: 'ResolutionFailed', status: 'True', reason, message });
  const isNew = run.drafts.some(
    ({ status }, index) => conditionOf(status, 'ResolutionFailed')?.message !== before[index],
  );
  if (!isNew) return;
  run.context.events.record(run.object, { type: 'Warning', reason: 'ResolutionFailed', message });
}

const nothingAsked: NamespaceAnswer = { resolution: undefined, deprecations: {} };

async function ask(
  run: NamespaceRun,
  question: NamespaceQuestion,
  { held, signal }: { readonly held: HeldSources; readonly signal: AbortSignal },
): Promise<NamespaceAnswer> {
  const { answers, resolver, metrics, clock, turns } = run.context;
  if (question.resolution === undefined && question.installed.length === 0) return nothingAsked;
  const key = answers.keyOf(question, held);
  const known = answers.get(question.namespace, key);
  if (known !== undefined) return known;
  using turn = turns.begin(question.namespace);
  const startedMs = clock.now();
  const count = (outcome: 'succeeded' | 'failed'): void => {
    if (question.resolution === undefined) return;
    metrics?.time('olm_resolution_duration_seconds', { outcome }, Math.max(0, clock.now() - startedMs));
  };
  try {
    const answer = await resolver.answer(question, held, AbortSignal.any([signal, turn.signal]));
    count(answer.resolution?.outcome === 'conflict' ? 'failed' : 'succeeded');
    answers.set(question.namespace, key, answer);
    return answer;
  } catch (thrown) {
    if (!(thrown instanceof WaitingError)) count('failed');
    throw thrown;
  }
}

/** Whether anything is to be resolved: not while every Subscription waits for its plan, or a ClusterServiceVersion is being replaced. */
function isDue(run: NamespaceRun): boolean {
  if (run.drafts.every(({ status }) => isPending(status))) {
    // What failed before is not requested any more.
    clearForAll(run, 'ResolutionFailed');
    return false;
  }
  return isGathered(run) && isUpgradable(run);
}

/** Subscriptions that come at the same time are resolved together. */
function isGathered(run: NamespaceRun): boolean {
  const { newcomers, clock } = run.context;
  const waitMs = newcomers.waitMs(run.situation.subscriptions, clock.now());
  newcomers.forgetOld(clock.now());
  if (waitMs > 0) requeueAfter(run, waitMs);
  return waitMs === 0;
}

function isUpgradable(run: NamespaceRun): boolean {
  const state = upgradeState(run.situation, run.context.clock.now());
  if (state === 'settling') requeueAfter(run, settledAfterMs);
  return state === 'none';
}

/** What is to be installed; undefined where nothing is to be decided now, or nothing can be.
 *  @throws TerminalError, TransientError reported */
async function resolveNamespace(
  run: NamespaceRun,
  held: HeldSources,
  signal: AbortSignal,
): Promise<readonly Selected[] | undefined> {
  try {
    return await select(run, held, signal);
  } catch (thrown) {
    const isFailure = thrown instanceof TerminalError || thrown instanceof TransientError;
    if (isFailure && !signal.aborted) failResolution(run, 'ErrorPreventedResolution', errorMessage(thrown));
    throw thrown;
  }
}

/** What the original is silent about: a version that would be installed first cannot be. */
function reportPassedOver(run: NamespaceRun, { passedOver }: Selection): void {
  reviseAll(run, ({ subscription, status }) => {
    const message = passedOver[subscription.metadata.name];
    if (message === undefined) return withoutConditions(status, 'PreferredVersionPassedOver');
    const reason = 'ConstraintsNotSatisfiable';
    return withCondition(status, { type: 'PreferredVersionPassedOver', status: 'True', reason, message }, run.now);
  });
}

async function select(
  run: NamespaceRun,
  held: HeldSources,
  signal: AbortSignal,
): Promise<readonly Selected[] | undefined> {
  const question = questionOf(situationOf(run), held, isDue(run));
  const { resolution, deprecations } = await ask(run, question, { held, signal });
  reviseAll(run, ({ subscription, status }) =>
    reportDeprecations(status, { subscription, found: deprecations[subscription.metadata.name], now: run.now }),
  );
  if (resolution === undefined) return undefined;
  if (resolution.outcome === 'selected') {
    reportPassedOver(run, resolution);
    return resolution.bundles;
  }
  failResolution(run, resolution.reason, resolution.message);
  return undefined;
}

/** An OperatorGroup that was created before the Subscription may not have been seen yet.
 *  @throws WaitingError CacheBehind */
async function assertGroupsSeen({ context, situation }: NamespaceRun, signal: AbortSignal): Promise<void> {
  const { namespace, groups } = situation;
  const { items } = await context.kube.list({ ...operatorGroupResource, namespace, isMetadataOnly: true }, { signal });
  if (items.length === groups.length) return;
  const message = `namespace ${namespace}: OperatorGroups have changed that were not seen yet`;
  throw new WaitingError('CacheBehind', message, { afterMs: cacheBehindMs });
}

/** Without one OperatorGroup it is not known what may be installed. */
async function hasOneGroup(run: NamespaceRun, signal: AbortSignal): Promise<boolean> {
  const { groups, namespace } = run.situation;
  if (groups.length === 1) return true;
  const names = groups.map(({ metadata }) => metadata.name).join(', ');
  const advice =
    groups.length === 0
      ? `Create an OperatorGroup in namespace ${namespace}: it selects the namespaces that the operators serve.`
      : `Delete all but one of them: ${names}.`;
  const message = `found ${groups.length} operatorGroups, expected 1. ${advice}`;
  const isKnown = run.drafts.every(({ status }) => conditionOf(status, 'ResolutionFailed')?.message === message);
  if (!isKnown) await assertGroupsSeen(run, signal);
  failResolution(run, 'ErrorPreventedResolution', message);
  return false;
}

async function bringUpToDate(run: NamespaceRun, signal: AbortSignal): Promise<void> {
  const { situation, now } = run;
  using held = run.context.views.hold(situation.namespace);
  reviseAll(run, ({ subscription }) => followProgress(subscription, situation, now));
  reviseAll(run, ({ subscription, status }) => reportCatalogs(status, { subscription, situation, held, now }));
  if (!(await hasOneGroup(run, signal))) return;
  const selected = await resolveNamespace(run, held, signal);
  if (selected !== undefined) await planInstallation(run, selected, signal);
}

/** Brings all Subscriptions of a namespace up to date: what they report, and the next plan. What is found is reported, whatever fails.
 *  @see docs/spec/olm-v0.md#resolution-per-namespace */
const reconcileNamespace: Step<NamespaceRun> = async (run, { signal }) => {
  try {
    await bringUpToDate(run, signal);
  } finally {
    if (!signal.aborted) {
      for (const subscription of situationOf(run).subscriptions) run.context.counts.count(subscription);
      reviseAll(run, ({ status }) => reportPlan(status, run.situation, run.now));
      await writeStatuses(run, signal);
    }
  }
  return undefined;
};

/** A namespace is reconciled as a whole. */
export const steps: readonly Step<NamespaceRun>[] = [reconcileNamespace];
