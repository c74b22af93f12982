import type { ClusterVersion, OperatorStatusCondition, UpdateHistory } from '../../api/index.ts';
import { errorMessage } from '../../base/index.ts';
import { compareVersions, formatVersion, parseVersion, type Version } from '../../constraints/index.ts';
import type { Finding } from '../facts.ts';
import { overridesRisk } from '../upgradeable/upgradeable.ts';

/** What rules are evaluated on. */
export interface RuleFacts {
  readonly clusterVersion: ClusterVersion;
  /** Of the release that was loaded; not always a semantic version. */
  readonly desiredVersion: string;
  /** Overridden objects that the target changes; undefined when they are unknown. */
  readonly changedOverrides?: readonly string[] | undefined;
}

/** A precondition: what is wrong, or undefined. */
export interface Rule {
  readonly name: string;
  readonly evaluate: (facts: RuleFacts) => Omit<Finding, 'name'> | undefined;
}

type Result = ReturnType<Rule['evaluate']>;

/** The version that the cluster is at, which may be incomplete, and the requested one. */
interface Versions {
  readonly current: Version;
  readonly target: Version;
}

const blocking = (reason: string, message: string): Result => ({ reason, message, isBlocking: true });
const warning = (reason: string, message: string): Result => ({ reason, message, isBlocking: false });

function tryParse(text: string): Version | { readonly problem: string } {
  try {
    return parseVersion(text);
  } catch (thrown) {
    return { problem: errorMessage(thrown) };
  }
}

/** A rule about two versions. One that the cluster has and that is none does not block: only an update can correct it. */
function withVersions({ clusterVersion, desiredVersion }: RuleFacts, evaluate: (versions: Versions) => Result): Result {
  const current = tryParse(clusterVersion.status?.desired.version ?? '');
  if ('problem' in current) return warning('InvalidCurrentVersion', current.problem);
  const target = tryParse(desiredVersion);
  if ('problem' in target) return blocking('InvalidDesiredVersion', target.problem);
  return evaluate({ current, target });
}

function isSameMinor(a: Version, b: Version): boolean {
  return a.major === b.major && a.minor === b.minor;
}

function conditionOf({ status }: ClusterVersion, type: string): OperatorStatusCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** The newest entry about another release than the one that is applied, if its version is a semantic one. */
function previousRelease(
  { status }: ClusterVersion,
  current: Version,
): { readonly version: Version; readonly image: string } | undefined {
  const isOther = ({ version, image }: UpdateHistory): boolean =>
    version !== formatVersion(current) || image !== status?.desired.image;
  const entry = status?.history?.find(isOther);
  const version = tryParse(entry?.version ?? '');
  return entry === undefined || 'problem' in version ? undefined : { version, image: entry.image };
}

const rollback: Rule = {
  name: 'ClusterVersionRollback',
  evaluate: (facts) =>
    withVersions(facts, ({ current, target }) => {
      if (compareVersions(target, current) >= 0) return undefined;
      const start = `${formatVersion(target)} is less than the current target ${formatVersion(current)}`;
      const previous = previousRelease(facts.clusterVersion, current);
      if (previous === undefined) {
        return blocking('LowDesiredVersion', `${start}, and the cluster has no previous Semantic Version`);
      }
      const { version, image } = previous;
      if (compareVersions(target, version) !== 0) {
        const only = `the only supported rollback is to the cluster's previous version ${formatVersion(version)} (${image})`;
        return blocking('LowDesiredVersion', `${start}, and ${only}`);
      }
      if (isSameMinor(version, current)) return undefined;
      const why = 'rollbacks that change major or minor versions are not recommended';
      return blocking('LowDesiredVersion', `${start} and matches the cluster's previous version, but ${why}`);
    }),
};

function majorHop(current: Version, target: Version): Result {
  // The one step to a new major version that releases support.
  const isNext = current.major === 4n && target.major === 5n;
  if (isNext && target.minor === 0n) return undefined;
  const limit = isNext ? 'within the current major version or to 5.0' : 'within the current major version';
  const text = `${formatVersion(target)} has a larger major version than the current target ${formatVersion(current)} (${target.major} > ${current.major}), and only updates ${limit} are supported.`;
  return blocking('MajorVersionUpdate', text);
}

const giantHop: Rule = {
  name: 'ClusterVersionGiantHop',
  evaluate: (facts) =>
    withVersions(facts, ({ current, target }) => {
      if (target.major > current.major) return majorHop(current, target);
      if (target.major < current.major || target.minor <= current.minor + 1n) return undefined;
      const numbers = `${target.major}.${target.minor} > ${current.major}.(${current.minor}+1)`;
      const text = `${formatVersion(target)} is more than one minor version beyond the current target ${formatVersion(current)} (${numbers}), and only updates within the current minor version or to the next minor version are supported.`;
      return blocking('MultipleMinorVersionsUpdate', text);
    }),
};

/** As the condition describes them, in the words of the precondition. */
const overridesText = overridesRisk.message.replace('prevents updates', 'prevents upgrades');

function overridesWarning({ current, target }: Versions): Result {
  const reason = 'ClusterVersionOverridesSet';
  const text = `Retarget from ${formatVersion(current)} to ${formatVersion(target)} is not blocked by ${reason}. But the cluster-version operator is not managing these resources; they are currently the responsibility of the agent that set the overrides: ${overridesText}`;
  return warning(reason, text);
}

/** The version that was completed last; without one that of the installation. */
function completedVersion(history: readonly UpdateHistory[]): string {
  return (history.find(({ state }) => state === 'Completed') ?? history.at(-1))?.version ?? '';
}

/** Which number an update has raised: undefined for a patch, and for no update. */
function raisedNumber(from: Version, to: Version): 'Major' | 'Minor' | undefined {
  if (to.major !== from.major) return to.major > from.major ? 'Major' : undefined;
  return to.minor > from.minor ? 'Minor' : undefined;
}

/** A patch of a minor update that has not finished. */
function retargetWarning(clusterVersion: ClusterVersion, { current, target }: Versions): Result {
  const completed = completedVersion(clusterVersion.status?.history ?? []);
  const from = tryParse(completed);
  const isUpdating = conditionOf(clusterVersion, 'Progressing')?.status === 'True';
  if ('problem' in from || !isUpdating || !isSameMinor(current, target)) return undefined;
  const kind = raisedNumber(from, current);
  if (kind === undefined) return undefined;
  const text = `Retarget to ${formatVersion(target)} while a ${kind.toLowerCase()} version update from ${completed} to ${formatVersion(current)} is in progress`;
  return warning(`${kind}VersionClusterUpdateInProgress`, text);
}

function hasOverrides({ spec }: ClusterVersion): boolean {
  return spec.overrides?.some(({ unmanaged }) => unmanaged) === true;
}

/** Overrides alone do not block a release that leaves the overridden objects as they are. */
function isHarmless({ changedOverrides }: RuleFacts, { reason }: OperatorStatusCondition): boolean {
  return reason === overridesRisk.name && changedOverrides?.length === 0;
}

const upgradeable: Rule = {
  name: 'ClusterVersionUpgradeable',
  evaluate: (facts) => {
    const { clusterVersion } = facts;
    const condition = conditionOf(clusterVersion, 'Upgradeable');
    if (condition?.status !== 'False') return undefined;
    return withVersions(facts, (versions) => {
      const { current, target } = versions;
      if (compareVersions(target, current) <= 0 || isSameMinor(target, current)) {
        return hasOverrides(clusterVersion) ? overridesWarning(versions) : retargetWarning(clusterVersion, versions);
      }
      if (isHarmless(facts, condition)) return overridesWarning(versions);
      return blocking(condition.reason ?? '', condition.message ?? '');
    });
  },
};

function ofConditionalUpdate({ clusterVersion, desiredVersion }: RuleFacts, way: string): Result | 'unknown' {
  const update = clusterVersion.status?.conditionalUpdates?.find(({ release }) => release.version === desiredVersion);
  if (update === undefined) return 'unknown';
  const condition = update.conditions?.find(({ type }) => type === 'Recommended');
  if (condition === undefined) {
    const text = `Update ${way} has a status.conditionalUpdates entry, but no Recommended condition.`;
    return warning('UnknownConditionType', text);
  }
  const { status, reason, message } = condition;
  if (status === 'True') return undefined;
  if (status === 'False') return warning(reason, `Update ${way} is not recommended:\n\n${message}`);
  return warning(reason, `Update ${way} is Recommended=${status}: ${reason}: ${message}`);
}

function ofUnknownUpdate(clusterVersion: ClusterVersion, way: string): Result {
  const unknown = `so the recommended status of updating ${way} is unknown.`;
  if ((clusterVersion.spec.channel ?? '') === '')
    return warning('NoChannel', `Configured channel is unset, ${unknown}`);
  const retrieved = conditionOf(clusterVersion, 'RetrievedUpdates');
  if (retrieved === undefined) return warning('UnknownUpdate', `No RetrievedUpdates, ${unknown}`);
  const start = `RetrievedUpdates=${retrieved.status} (${retrieved.reason ?? ''})`;
  if (retrieved.status !== 'True') return warning('UnknownUpdate', `${start}, ${unknown}`);
  return warning('UnknownUpdate', `${start}, so the update ${way} is probably neither recommended nor supported.`);
}

const recommendedUpdate: Rule = {
  name: 'ClusterVersionRecommendedUpdate',
  evaluate: (facts) => {
    const { clusterVersion, desiredVersion } = facts;
    const { desired, availableUpdates } = clusterVersion.status ?? {};
    if (availableUpdates?.some(({ version }) => version === desiredVersion) === true) return undefined;
    const way = `from ${desired?.version ?? ''} to ${desiredVersion}`;
    const result = ofConditionalUpdate(facts, way);
    return result === 'unknown' ? ofUnknownUpdate(clusterVersion, way) : result;
  },
};

/** All preconditions, in the order of the reference.
 *  @see docs/spec/cluster-version.md#preconditions */
export const rules: readonly Rule[] = [rollback, giantHop, upgradeable, recommendedUpdate];
