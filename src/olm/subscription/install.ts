import {
  type InstallPlan,
  type InstallPlanStep,
  installPlanResource,
  olmFieldManager,
  parseInstallPlan,
  type SubscriptionStatus,
} from '../../api/index.ts';
import {
  errorMessage,
  type JsonObject,
  mapLimit,
  TerminalError,
  TransientError,
  WaitingError,
} from '../../base/index.ts';
import { isKubeError, type KubeObject, refOf } from '../../kube/index.ts';
import { inlineBytesFor, orderSteps, originalVersions, planSteps, unpackTermsOf } from '../../operators/index.ts';
import type { Selected } from './answer.ts';
import { planReference } from './progress.ts';
import { approvalOf, dependencyStep, type Proposal, planObject, propose, unreferencedPlan } from './proposal.ts';
import { clearForAll, type NamespaceRun, reportToAll, reviseAll, situationOf } from './run.ts';

/** Bundles of one plan that are read at a time. */
const parallelReads = 4;
/** How long a watch may take that is not stuck. */
export const cacheBehindMs = 100;
/** How the message begins where the image was tried already. */
const pullFailed = 'Bundle image pull failed.';
/** After it the content of a bundle is tried again. */
const unpackRetryMs = 5 * 60_000;

async function stepsOf(
  run: NamespaceRun,
  bundle: Selected,
  { bundleCount, signal }: { readonly bundleCount: number; readonly signal: AbortSignal },
): Promise<readonly InstallPlanStep[]> {
  const { namespace, subscriptions, groups } = situationOf(run);
  const { catalog, name, image, replaces, properties, subscriptions: wanting } = bundle;
  const [terms] = groups.map(unpackTermsOf);
  const reference = {
    catalog,
    name,
    ...(image !== undefined && { image }),
    ...terms,
  };
  const content = await run.context.contents.read(reference, signal);
  const resolved = { properties, ...(replaces !== undefined && { replaces }) };
  const options = { namespace, catalog, ...resolved, maxInlineBytes: inlineBytesFor(bundleCount) };
  const steps = planSteps(content, options);
  if (wanting.length > 0) return steps;
  return [...steps, dependencyStep(bundle, { namespace, approval: approvalOf(subscriptions) })];
}

type Read = { readonly steps: readonly InstallPlanStep[] } | { readonly thrown: unknown };

/** All are started, so that none waits for another. What is final counts before what may change. */
async function readAll(
  run: NamespaceRun,
  bundles: readonly Selected[],
  signal: AbortSignal,
): Promise<readonly InstallPlanStep[]> {
  const results = await mapLimit(bundles, parallelReads, async (bundle): Promise<Read> => {
    try {
      return { steps: await stepsOf(run, bundle, { bundleCount: bundles.length, signal }) };
    } catch (thrown) {
      return { thrown };
    }
  });
  const failures = results.flatMap((result) => ('thrown' in result ? [result.thrown] : []));
  const rank = (thrown: unknown): number =>
    [WaitingError, TransientError, TerminalError].findIndex((kind) => thrown instanceof kind);
  const [worst] = failures.toSorted((a, b) => rank(b) - rank(a));
  if (failures.length > 0) throw worst;
  return orderSteps(results.flatMap((result) => ('steps' in result ? result.steps : [])));
}

function failUnpacking(run: NamespaceRun, reason: string, message: string): void {
  clearForAll(run, 'BundleUnpacking');
  const before = run.drafts.map(({ status }) => status);
  reportToAll(run, { type: 'BundleUnpackFailed', status: 'True', reason, message });
  const { events } = run.context;
  for (const [index, { subscription, status }] of run.drafts.entries()) {
    if (status.conditions?.some(({ type }) => type === 'BundleUnpackFailed') && isReported(before[index], message))
      continue;
    events.record(subscription as unknown as KubeObject, { type: 'Warning', reason: 'BundleUnpackFailed', message });
  }
}

function isReported(status: SubscriptionStatus | undefined, message: string): boolean {
  return status?.conditions?.some((one) => one.type === 'BundleUnpackFailed' && one.message === message) ?? false;
}

/** Reports why the content of the bundles is not there.
 *  @throws TransientError and WaitingError, as they are */
function reportUnpacking(run: NamespaceRun, thrown: unknown): void {
  // What was resolved is only to be installed yet.
  clearForAll(run, 'ResolutionFailed');
  if (thrown instanceof WaitingError) {
    clearForAll(run, 'BundleUnpackFailed');
    const { message } = thrown;
    const failed = message.startsWith(pullFailed) ? { message } : {};
    reportToAll(run, { type: 'BundleUnpacking', status: 'True', reason: 'UnpackingInProgress', ...failed });
    throw thrown;
  }
  if (thrown instanceof TerminalError) {
    failUnpacking(run, 'ErrorPreventedUnpacking', errorMessage(thrown));
    return;
  }
  if (thrown instanceof TransientError && !isKubeError(thrown)) {
    const { reason } = thrown;
    const [terms] = situationOf(run).groups.map(unpackTermsOf);
    const retryAfterMs = terms?.minRetryMs ?? thrown.retryAfterMs ?? unpackRetryMs;
    const message = `Bundle unpacking failed - ${reason}: ${errorMessage(thrown)}. It is retried in ${Math.ceil(retryAfterMs / 60_000)} min, and when the catalog changes.`;
    failUnpacking(run, 'BundleUnpackFailed', message);
    throw new TransientError(reason, errorMessage(thrown), { cause: thrown, retryAfterMs });
  }
  throw thrown;
}

/** Kinds are watched one by one: a ClusterServiceVersion that was created before the Subscription may not have been seen yet, and what it provides must not
 *  be installed a second time. Nor must a plan be made a second time whose creation was not answered.
 *  @throws WaitingError CacheBehind */
async function assertSeen({ context, situation }: NamespaceRun, signal: AbortSignal): Promise<void> {
  const { namespace, csvUids, plans } = situation;
  const planUids = new Set([...plans.values()].map(({ metadata }) => metadata.uid ?? ''));
  for (const [target, seen] of [
    [originalVersions, csvUids],
    [installPlanResource, planUids],
  ] as const) {
    const { items } = await context.kube.list({ ...target, namespace, isMetadataOnly: true }, { signal });
    if (items.length === seen.size && items.every(({ metadata }) => seen.has(metadata.uid ?? ''))) continue;
    const message = `namespace ${namespace}: objects of kind ${target.kind} have changed that were not seen yet`;
    throw new WaitingError('CacheBehind', message, { afterMs: cacheBehindMs });
  }
}

async function createPlan(run: NamespaceRun, proposal: Proposal, signal: AbortSignal): Promise<InstallPlan> {
  const { kube, caches } = run.context;
  await assertSeen(run, signal);
  const object = planObject(proposal, situationOf(run));
  const created = await kube.create(object, { fieldManager: olmFieldManager, signal });
  caches.plans.wrote(created);
  return parseInstallPlan(created);
}

async function writeSteps(
  run: NamespaceRun,
  plan: InstallPlan,
  { steps, signal }: { readonly steps: readonly InstallPlanStep[]; readonly signal: AbortSignal },
): Promise<InstallPlan> {
  const { kube, caches } = run.context;
  const { uid = '' } = plan.metadata;
  const status = {
    phase: plan.spec.approved ? 'Installing' : 'RequiresApproval',
    catalogSources: [...new Set(steps.map(({ resource }) => resource.sourceName))].toSorted(),
    plan: steps as unknown as JsonObject[],
  };
  const written = await kube.patch(
    refOf(plan as unknown as KubeObject),
    { metadata: { uid }, status },
    { fieldManager: olmFieldManager, subresource: 'status', signal },
  );
  caches.plans.wrote(written);
  return parseInstallPlan(written);
}

/** The plan, with its steps; the one that exists where an earlier process was interrupted. */
async function ensurePlan(
  run: NamespaceRun,
  proposal: Proposal,
  signal: AbortSignal,
): Promise<InstallPlan | undefined> {
  const found = unreferencedPlan(proposal, situationOf(run));
  if (found?.status?.plan !== undefined) return found;
  let steps: readonly InstallPlanStep[];
  try {
    steps = await readAll(run, proposal.bundles, signal);
  } catch (thrown) {
    reportUnpacking(run, thrown);
    return undefined;
  }
  try {
    return await writeSteps(run, found ?? (await createPlan(run, proposal, signal)), { steps, signal });
  } catch (thrown) {
    if (thrown instanceof WaitingError) throw thrown;
    const message = `error ensuring InstallPlan: ${errorMessage(thrown)}`;
    reportToAll(run, { type: 'BundleUnpackFailed', status: 'True', reason: 'EnsureInstallPlanFailed', message });
    throw thrown;
  }
}

/** Plans what is to be installed, where anything is.
 *  @throws WaitingError BundleUnpacking · TransientError as sources and the API server have it */
export async function planInstallation(
  run: NamespaceRun,
  selected: readonly Selected[],
  signal: AbortSignal,
): Promise<void> {
  const proposal = propose(selected, situationOf(run));
  if (proposal.moves.size > 0) {
    const plan = await ensurePlan(run, proposal, signal);
    if (plan === undefined) return;
    run.situation = { ...run.situation, plans: new Map([...run.situation.plans, [plan.metadata.name, plan]]) };
    reviseAll(run, ({ subscription, status }) => {
      const currentCSV = proposal.moves.get(subscription.metadata.name);
      if (currentCSV === undefined) return status;
      return { ...status, ...planReference(plan), currentCSV, state: 'UpgradePending' };
    });
  }
  clearForAll(run, 'BundleUnpacking', 'BundleUnpackFailed', 'ResolutionFailed');
}
