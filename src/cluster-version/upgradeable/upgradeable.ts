import type { ClusterOperator, ClusterVersion } from '../../api/index.ts';
import { errorMessage } from '../../base/index.ts';
import { parseVersion } from '../../constraints/index.ts';
import { defaultGateNames, type GateFacts, type GateNames, gateRisks, type ReadConfigMap } from './admin-gates.ts';
import type { UpgradeRisk } from './upgrade-risk.ts';

/** What Upgradeable is made from. */
export interface UpgradeableFacts {
  /** With the condition Progressing, and `status.desired`, the release that is applied. */
  readonly clusterVersion: ClusterVersion;
  /** Objects whose deletion was requested: `deployment "ns/name"`. */
  readonly deletions: readonly string[];
  readonly gates: ReadConfigMap;
  readonly acks: ReadConfigMap;
  readonly gateNames?: GateNames;
  readonly operators: readonly ClusterOperator[];
}

/** A condition that is set; without `status` True, since it is absent then. */
export interface UpgradeableCondition {
  readonly status: 'False';
  readonly reason: string;
  readonly message: string;
}

const reasonPattern = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const maxReasonCharacters = 1024;

/** The risk of objects of the release that the engine does not manage. */
export const overridesRisk: UpgradeRisk = {
  name: 'ClusterVersionOverrides',
  message:
    'Disabling ownership via cluster version overrides prevents updates between minor or major versions. Please remove overrides before requesting a minor or major version update.',
};

function versionOf({ status }: ClusterVersion): GateFacts['version'] {
  try {
    return parseVersion(status?.desired.version ?? '');
  } catch (thrown) {
    return { problem: errorMessage(thrown) };
  }
}

function ofOperators(operators: readonly ClusterOperator[]): UpgradeRisk[] {
  const risks = operators.flatMap(({ metadata, status }) => {
    const condition = status?.conditions?.find(({ type }) => type === 'Upgradeable');
    if (condition?.status !== 'False') return [];
    return [{ name: `ClusterOperatorUpgradeable-${metadata.name}`, message: condition.message ?? '' }];
  });
  return risks.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function ofDeletions(deletions: readonly string[]): UpgradeRisk[] {
  if (deletions.length === 0) return [];
  const message = `Cluster minor or major version upgrades are not allowed while resource deletions are in progress; resources=${deletions.toSorted().join(',')}`;
  return [{ name: 'ResourceDeletionInProgress', message }];
}

function isUpdating({ status }: ClusterVersion): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Progressing' && value === 'True') === true;
}

const updatingRisk: UpgradeRisk = {
  name: 'ClusterVersionUpdating',
  message: 'An update is already in progress and the details are in the Progressing condition.',
};

/** All of them, in the order in which the condition names them.
 *  @see docs/spec/cluster-version.md#upgradeable-aggregation */
export function upgradeRisks(facts: UpgradeableFacts): readonly UpgradeRisk[] {
  const { clusterVersion, deletions, gates, acks, gateNames: names = defaultGateNames, operators } = facts;
  const hasOverrides = clusterVersion.spec.overrides?.some(({ unmanaged }) => unmanaged) === true;
  return [
    ...(isUpdating(clusterVersion) ? [updatingRisk] : []),
    ...(hasOverrides ? [overridesRisk] : []),
    ...ofDeletions(deletions),
    ...gateRisks({ names, gates, acks, version: versionOf(clusterVersion) }),
    ...ofOperators(operators),
  ];
}

/** The condition Upgradeable; undefined when nothing is against an update: it is removed then. */
export function upgradeableCondition(risks: readonly UpgradeRisk[]): UpgradeableCondition | undefined {
  const [first, second] = risks;
  if (first === undefined) return undefined;
  if (second === undefined) {
    const isReason = first.name.length <= maxReasonCharacters && reasonPattern.test(first.name);
    const reason = isReason ? first.name : 'RiskNameNotCompatibleWithReasonProperty';
    return { status: 'False', reason, message: first.message };
  }
  const messages = risks.map(({ message }) => `\n* ${message}`).join('');
  const message = `Cluster should not be upgraded between minor or major versions for multiple reasons:${messages}`;
  return { status: 'False', reason: 'MultipleReasons', message };
}
