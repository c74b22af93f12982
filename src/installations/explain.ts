import type { ClusterServiceVersion, InstallPlan, Subscription } from '../api/index.ts';
import { printable } from '../base/index.ts';
import { adviceByReason, adviceOf, adviceOfFailure, catalogAdvice, planAdvice } from './advice.ts';
import { catalogState } from './catalog-state.ts';
import type { InstalledOperator } from './installed-operator.ts';

/** Where the installation of an operator is. */
export interface Progress {
  readonly state: 'installed' | 'approval' | 'progressing' | 'failed';
  /** The object that decides: `InstallPlan install-abcde`. */
  readonly object: string;
  /** What it reports, and since when. */
  readonly text: string;
  /** What is missing, a line each. */
  readonly details: readonly string[];
  /** What the user can do; undefined where waiting is enough. */
  readonly advice: string | undefined;
}

type SubscriptionCondition = NonNullable<NonNullable<Subscription['status']>['conditions']>[number];

const blockingTypes = ['ResolutionFailed', 'BundleUnpackFailed', 'InstallPlanFailed'];
/** The plan of what is installed already is not missed. */
const missingPlan = 'InstallPlanMissing';

function since(time: string | null | undefined): string {
  return time === undefined || time === null ? '' : ` (since ${time})`;
}

/** `REASON: MESSAGE (since TIME)`, as far as there are such texts. */
function statement(reason: string, message: string | undefined, time: string | null | undefined): string {
  const text = message === undefined || message === '' ? '' : `: ${message}`;
  return `${reason}${text}${since(time)}`;
}

function isTrue(conditions: readonly SubscriptionCondition[], type: string): SubscriptionCondition | undefined {
  return conditions.find((one) => one.type === type && one.status === 'True');
}

function isBlocking({ type, status }: SubscriptionCondition, { csv }: InstalledOperator): boolean {
  if (status !== 'True') return false;
  return blockingTypes.includes(type) || (type === missingPlan && csv?.status?.phase !== 'Succeeded');
}

/** The catalog decides where it is missing, or has no content that can be used. */
function ofCatalog({ subscription, catalog }: InstalledOperator): Progress | undefined {
  const { metadata, spec } = subscription;
  const object = `CatalogSource ${spec.sourceNamespace}/${spec.source}`;
  if (catalog === undefined) return undefined;
  if (catalog === 'missing') {
    const advice = `correct spec.source and spec.sourceNamespace of Subscription ${metadata.name}, or add the catalog: longshore operator catalog add`;
    return { state: 'failed', object, text: 'does not exist', details: [], advice };
  }
  const state = catalogState(catalog);
  if (state === 'READY') return undefined;
  const { connectionState, reason = '', message = '' } = catalog.status ?? {};
  const text = statement(`${state} ${reason}`.trim(), message, connectionState?.lastConnect);
  if (message === '') return { state: 'progressing', object, text, details: [], advice: undefined };
  return { state: 'failed', object, text, details: [], advice: catalogAdvice };
}

function ofBlocking(object: string, condition: SubscriptionCondition): Progress {
  const { type, reason = '', message, lastTransitionTime } = condition;
  const text = statement(`${type} ${reason}`.trim(), message, lastTransitionTime);
  return { state: 'failed', object, text, details: [], advice: adviceOf(condition) };
}

/** Nothing has failed yet. */
function ofWaiting(object: string, conditions: readonly SubscriptionCondition[]): Progress {
  const unhealthy = isTrue(conditions, 'CatalogSourcesUnhealthy');
  if (unhealthy !== undefined) {
    const text = statement('CatalogSourcesUnhealthy', unhealthy.message, unhealthy.lastTransitionTime);
    const advice = 'longshore operator catalog list shows what is wrong';
    return { state: 'progressing', object, text, details: [], advice };
  }
  const unpacking = isTrue(conditions, 'BundleUnpacking');
  if (unpacking === undefined)
    return { state: 'progressing', object, text: 'resolving', details: [], advice: undefined };
  const { message = '', lastTransitionTime } = unpacking;
  const text = statement('unpacking the bundle', message, lastTransitionTime);
  const advice = message === '' ? undefined : adviceOf({ ...unpacking, type: 'BundleUnpackFailed' });
  return { state: 'progressing', object, text, details: [], advice };
}

function ofSubscription(operator: InstalledOperator): Progress {
  const { metadata, status } = operator.subscription;
  const object = `Subscription ${metadata.name}`;
  const conditions = status?.conditions ?? [];
  const blocking = conditions.find((one) => isBlocking(one, operator));
  const isResolved =
    isTrue(conditions, 'BundleUnpacking') !== undefined || (blocking && blocking.type !== 'ResolutionFailed');
  const catalog = isResolved ? undefined : ofCatalog(operator);
  return catalog ?? (blocking === undefined ? ofWaiting(object, conditions) : ofBlocking(object, blocking));
}

function ofFailedPlan({ metadata, status }: InstallPlan): Progress {
  const conditions = status?.conditions ?? [];
  const failure = conditions.find(({ type, status: value }) => type === 'Installed' && value === 'False');
  const text = `${failure?.reason ?? 'Failed'}: ${failure?.message ?? status?.message ?? ''}${since(failure?.lastTransitionTime)}`;
  return { state: 'failed', object: `InstallPlan ${metadata.name}`, text, details: [], advice: adviceOfFailure(text) };
}

function ofUnapprovedPlan({ metadata, spec }: InstallPlan): Progress {
  const text = `waits for approval of ${spec.clusterServiceVersionNames.join(', ')}${since(metadata.creationTimestamp)}`;
  const advice = `longshore operator approve ${metadata.name} -n ${metadata.namespace}`;
  return { state: 'approval', object: `InstallPlan ${metadata.name}`, text, details: [], advice };
}

function ofRunningPlan({ metadata, status }: InstallPlan): Progress {
  const object = `InstallPlan ${metadata.name}`;
  const steps = status?.plan ?? [];
  const held = (status?.conditions ?? []).find(({ type, status: value }) => type === 'Installed' && value === 'False');
  if (held !== undefined) {
    const text = statement(held.reason ?? 'Installed=False', held.message, held.lastTransitionTime);
    return { state: 'progressing', object, text, details: [], advice: planAdvice };
  }
  const done = steps.filter((step) => step.status === 'Present' || step.status === 'Created').length;
  const details = steps
    .filter((step) => step.status === 'WaitingForApi')
    .map(({ resource }) => `waits until the API of ${resource.name} is served`);
  const text = statement(`${done} of ${steps.length} objects applied`, status?.message, status?.startTime);
  return { state: 'progressing', object, text, details, advice: undefined };
}

function ofPlan(plan: InstallPlan): Progress | undefined {
  const phase = plan.status?.phase;
  if (phase === 'Complete') return undefined;
  if (phase === 'Failed') return ofFailedPlan(plan);
  return phase === 'RequiresApproval' && !plan.spec.approved ? ofUnapprovedPlan(plan) : ofRunningPlan(plan);
}

const unmet = new Set(['NotPresent', 'PresentNotSatisfied', 'PresentNotAvailable', 'DeploymentNotFound']);

function requirementLines({ status }: ClusterServiceVersion): readonly string[] {
  return (status?.requirementStatus ?? [])
    .filter((row) => unmet.has(row.status))
    .flatMap((row) => [
      `${row.kind} ${row.name}: ${row.status}${row.message === undefined || row.message === '' ? '' : `, ${row.message}`}`,
      ...(row.dependents ?? [])
        .filter((dependent) => dependent.status === 'NotSatisfied')
        .map((dependent) => `  ${dependent.kind}: ${dependent.message ?? ''}`),
    ]);
}

function ofCsv({ metadata, status }: ClusterServiceVersion, details: readonly string[]): Progress {
  const { phase = '', reason = '', message, lastTransitionTime } = status ?? {};
  const text = statement(`${phase || 'not reconciled yet'} ${reason}`.trim(), message, lastTransitionTime);
  const state = phase === 'Failed' ? 'failed' : 'progressing';
  return { state, object: `ClusterServiceVersion ${metadata.name}`, text, details, advice: adviceByReason[reason] };
}

function ofMissingCsv({ metadata, status }: Subscription): Progress {
  const name = status?.currentCSV ?? '';
  const missing = (status?.conditions ?? []).find(({ type }) => type === 'InstalledCSVMissing');
  const advice = `if it was deleted, delete the Subscription and create it again: longshore operator uninstall ${metadata.name} -n ${metadata.namespace}, then longshore operator install`;
  const text = `${name} does not exist${since(missing?.lastTransitionTime)}`;
  return { state: 'failed', object: `ClusterServiceVersion ${name}`, text, details: [], advice };
}

function ofInstalled({ metadata }: ClusterServiceVersion): Progress {
  const object = `ClusterServiceVersion ${metadata.name}`;
  return { state: 'installed', object, text: `${metadata.name} is installed`, details: [], advice: undefined };
}

function ofReferredCsv({ subscription, csv, workloads = [] }: InstalledOperator): Progress {
  if (csv === undefined) return ofMissingCsv(subscription);
  if (csv.status?.phase === 'Succeeded') return ofInstalled(csv);
  return ofCsv(csv, [...requirementLines(csv), ...workloads]);
}

/** Whether the ClusterServiceVersion decides, and not what comes before it. */
function hasReached({ subscription, csv }: InstalledOperator, isBlocked: boolean): boolean {
  const isNamed = (subscription.status?.currentCSV ?? '') !== '';
  return isNamed && (!isBlocked || (csv !== undefined && csv.status?.phase !== 'Succeeded'));
}

/** What an installation waits for, or why it failed: the object that decides, in the order in which they follow one another. */
export function explainOperator(operator: InstalledOperator): Progress {
  const { subscription, plan } = operator;
  const { conditions = [] } = subscription.status ?? {};
  const isBlocked = conditions.some((one) => isBlocking(one, operator));
  const planned = plan && ofPlan(plan);
  const isDecidedByPlan = planned?.state !== 'progressing' || !isBlocked;
  if (planned && isDecidedByPlan) return planned;
  return hasReached(operator, isBlocked) ? ofReferredCsv(operator) : ofSubscription(operator);
}

/** The same as lines for a person. */
export function formatProgress({ object, text, details, advice }: Progress): string {
  const lines = [`${object}: ${text}`, ...details.map((line) => `  ${line}`)];
  return [...lines, ...(advice === undefined ? [] : [`What to do: ${advice}`])].map(printable).join('\n');
}
