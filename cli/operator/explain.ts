import type { ClusterServiceVersion, InstallPlan, Subscription } from '../../src/api/index.ts';
import type { InstalledOperator } from './objects.ts';

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

const adviceByType: Readonly<Record<string, string>> = {
  ResolutionFailed:
    'correct the Subscription or what it depends on; the catalogs are resolved again as soon as one of them changes',
  BundleUnpackFailed: 'see that the image of the bundle can be pulled; it is tried again after some minutes',
  InstallPlanFailed:
    'remove the cause, then delete the InstallPlan and the failed ClusterServiceVersion, if there is one',
  InstallPlanMissing: 'a new InstallPlan is made at the next resolution',
};

function isBlocking({ type, status }: SubscriptionCondition, { csv }: InstalledOperator): boolean {
  if (status !== 'True') return false;
  return blockingTypes.includes(type) || (type === missingPlan && csv?.status?.phase !== 'Succeeded');
}

function ofSubscription(operator: InstalledOperator): Progress {
  const { metadata, spec, status } = operator.subscription;
  const object = `Subscription ${metadata.name}`;
  const conditions = status?.conditions ?? [];
  const blocking = conditions.find((one) => isBlocking(one, operator));
  if (blocking !== undefined) {
    const { type, reason = '', message = '', lastTransitionTime } = blocking;
    const text = `${type}${reason === '' ? '' : ` ${reason}`}: ${message}${since(lastTransitionTime)}`;
    return { state: 'failed', object, text, details: [], advice: adviceByType[type] };
  }
  const unhealthy = conditions.find((one) => one.type === 'CatalogSourcesUnhealthy' && one.status === 'True');
  if (unhealthy !== undefined) {
    const text = `CatalogSourcesUnhealthy: ${unhealthy.message ?? ''}${since(unhealthy.lastTransitionTime)}`;
    const advice = `see kubectl get catalogsource -n ${spec.sourceNamespace} ${spec.source} -o yaml`;
    return { state: 'progressing', object, text, details: [], advice };
  }
  const unpacking = conditions.find((one) => one.type === 'BundleUnpacking' && one.status === 'True');
  const doing = unpacking === undefined ? 'resolving' : `unpacking the bundle${since(unpacking.lastTransitionTime)}`;
  return { state: 'progressing', object, text: doing, details: [], advice: undefined };
}

function ofFailedPlan({ metadata, status }: InstallPlan): Progress {
  const conditions = status?.conditions ?? [];
  const failure = conditions.find(({ type, status: value }) => type === 'Installed' && value === 'False');
  const text = `${failure?.reason ?? 'Failed'}: ${failure?.message ?? status?.message ?? ''}`;
  const advice = adviceByType['InstallPlanFailed'];
  return { state: 'failed', object: `InstallPlan ${metadata.name}`, text, details: [], advice };
}

function ofUnapprovedPlan({ metadata, spec }: InstallPlan): Progress {
  const text = `waits for approval of ${spec.clusterServiceVersionNames.join(', ')}`;
  const advice = `longshore operator approve ${metadata.name} -n ${metadata.namespace}`;
  return { state: 'approval', object: `InstallPlan ${metadata.name}`, text, details: [], advice };
}

function ofRunningPlan({ metadata, status }: InstallPlan): Progress {
  const steps = status?.plan ?? [];
  const done = steps.filter((step) => step.status === 'Present' || step.status === 'Created').length;
  const details = steps
    .filter((step) => step.status === 'WaitingForApi')
    .map(({ resource }) => `waits until the API of ${resource.name} is served`);
  const message = status?.message === undefined ? '' : `: ${status.message}`;
  const text = `${done} of ${steps.length} objects applied${message}`;
  return { state: 'progressing', object: `InstallPlan ${metadata.name}`, text, details, advice: undefined };
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

/** What a user can do about a reason of a ClusterServiceVersion. */
const adviceByReason: Readonly<Record<string, string>> = {
  RequirementsNotMet: 'create what is missing, or install the operator that provides it; it is checked again by itself',
  NoOperatorGroup: 'create an OperatorGroup in the namespace',
  TooManyOperatorGroups: 'delete all OperatorGroups of the namespace but one',
  UnsupportedOperatorGroup: 'change the target namespaces of the OperatorGroup to what the operator supports',
  NoTargetNamespaces: 'make the OperatorGroup select at least one namespace',
  InterOperatorGroupOwnerConflict:
    'another operator provides the same APIs in a namespace that both watch: remove one, or narrow the OperatorGroup of one',
  CannotModifyStaticOperatorGroupProvidedAPIs: 'add the APIs to the annotation olm.providedAPIs of the OperatorGroup',
  OperatorConditionNotUpgradeable:
    'the installed version asks not to be replaced now: wait, or override its OperatorCondition',
  OwnerConflict: 'another operator owns the API: remove one of the two',
  InstallCheckFailed: 'see why the Pods of the Deployment do not become ready',
  ComponentUnhealthy: 'see why the Pods of the Deployment are not ready',
  InstallComponentFailedNoRetry: 'grant the service account of the OperatorGroup what it lacks',
};

function ofCsv(csv: ClusterServiceVersion): Progress | undefined {
  const { phase = '', reason = '', message = '', lastTransitionTime } = csv.status ?? {};
  if (phase === 'Succeeded') return undefined;
  const object = `ClusterServiceVersion ${csv.metadata.name}`;
  const text = `${phase || 'not reconciled yet'}${reason === '' ? '' : ` ${reason}`}${message === '' ? '' : `: ${message}`}${since(lastTransitionTime)}`;
  const state = phase === 'Failed' ? 'failed' : 'progressing';
  return { state, object, text, details: requirementLines(csv), advice: adviceByReason[reason] };
}

function ofMissingCsv(name: string): Progress {
  const advice = 'if it was deleted, delete the Subscription and create it again';
  const object = `ClusterServiceVersion ${name}`;
  return { state: 'failed', object, text: `${name} does not exist`, details: [], advice };
}

function ofInstalled({ metadata }: ClusterServiceVersion): Progress {
  const object = `ClusterServiceVersion ${metadata.name}`;
  return { state: 'installed', object, text: `${metadata.name} is installed`, details: [], advice: undefined };
}

function ofReferredCsv({ subscription, csv }: InstalledOperator): Progress {
  if (csv === undefined) return ofMissingCsv(subscription.status?.currentCSV ?? '');
  return ofCsv(csv) ?? ofInstalled(csv);
}

/** Whether the ClusterServiceVersion decides, and not what comes before it. */
function hasReached({ subscription, csv }: InstalledOperator, isBlocked: boolean): boolean {
  const isNamed = (subscription.status?.currentCSV ?? '') !== '';
  return isNamed && (!isBlocked || csv?.status?.phase === 'Failed');
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
  return [...lines, ...(advice === undefined ? [] : [`What to do: ${advice}`])].join('\n');
}
