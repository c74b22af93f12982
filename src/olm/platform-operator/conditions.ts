import {
  type BundleDeployment,
  type PlatformOperatorConditionType,
  parseBundleDeployment,
  type UpToDateReason,
} from '../../api/index.ts';
import type { Condition, KubeObject } from '../../kube/index.ts';

/** A condition as it is to be from now on. */
export interface ConditionChange {
  readonly type: PlatformOperatorConditionType;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

function pending(reason: string, message: string): ConditionChange {
  return { type: 'Installed', status: 'False', reason, message };
}

/** The condition for the present generation; undefined when it is about an earlier one. */
function current({ metadata, status }: BundleDeployment, type: string): Condition | undefined {
  const condition = status?.conditions?.find((one) => one.type === type);
  const { generation = 0 } = metadata;
  return condition === undefined || (condition.observedGeneration ?? generation) < generation ? undefined : condition;
}

/** What the BundleDeployment of a PlatformOperator means for it.
 *  @see docs/spec/olm-v0.md#reconcile */
export function installedCondition(object: KubeObject): ConditionChange {
  const deployment = parseBundleDeployment(object);
  const valid = current(deployment, 'HasValidBundle');
  if (valid?.status === 'False') return pending(valid.reason, valid.message);
  if (valid?.status !== 'True' || valid.reason === 'UnpackPending') {
    return pending('UnpackPending', 'Waiting for the bundle to be unpacked');
  }
  const installed = current(deployment, 'Installed');
  if (installed?.status === 'False') return pending(installed.reason, installed.message);
  if (installed?.status !== 'True') return pending('InstallPending', 'Waiting for the bundle to be installed');
  const { name } = deployment.metadata;
  const message = `Successfully applied the ${name} BundleDeployment resource`;
  return { type: 'Installed', status: 'True', reason: 'InstallSuccessful', message };
}

const pendingReasons: ReadonlySet<string> = new Set(['UnpackPending', 'InstallPending']);

/** Whether a BundleDeployment cannot install what it is to install, and has never installed anything. */
export function hasNeverSucceeded(object: KubeObject): boolean {
  const { activeBundle = '' } = parseBundleDeployment(object).status ?? {};
  const { status, reason } = installedCondition(object);
  return activeBundle === '' && status === 'False' && !pendingReasons.has(reason);
}

/** Whether a BundleDeployment has done all it is to do, and what it installed is well. */
export function isSettled(object: KubeObject): boolean {
  const deployment = parseBundleDeployment(object);
  return ['HasValidBundle', 'Installed', 'Healthy'].every((type) => current(deployment, type)?.status === 'True');
}

/** Nothing was found that could be installed. */
export function sourceFailed(message: string): ConditionChange {
  return pending('SourceFailed', message);
}

/** What was found cannot be given to a BundleDeployment. */
export function installFailed(message: string): ConditionChange {
  return pending('InstallFailed', message);
}

/** Whether there is something newer, and what becomes of it. */
export function upToDate(reason: UpToDateReason, message: string): ConditionChange {
  const statuses: Readonly<Record<UpToDateReason, Condition['status']>> = {
    NothingNewer: 'True',
    UpdateAvailable: 'False',
    Updating: 'False',
    UpdateBlocked: 'False',
    CatalogsUnknown: 'Unknown',
  };
  return { type: 'UpToDate', status: statuses[reason], reason, message };
}

/** Deprecation messages of a catalog for a package, the channel that was chosen (or any), and the chosen bundle; plain data. */
export interface CatalogDeprecations {
  readonly package: string | undefined;
  readonly channel: string | undefined;
  readonly bundle: string | undefined;
}

function warning(type: PlatformOperatorConditionType, what: string, text: string | undefined): ConditionChange {
  if (text !== undefined) return { type, status: 'True', reason: 'Deprecated', message: text };
  return { type, status: 'False', reason: 'NotDeprecated', message: `${what}not deprecated` };
}

const unknown = 'deprecation status unknown: catalog data unavailable';
const deprecationTypes = ['Deprecated', 'PackageDeprecated', 'ChannelDeprecated', 'BundleDeprecated'] as const;

/** The deprecation conditions. `deprecations` is undefined if no catalog has the package; without an installed bundle its deprecation is not reported.
 *  @see docs/spec/catalogs.md#deprecation-conditions */
export function deprecationConditions(
  deprecations: CatalogDeprecations | undefined,
  isInstalled: boolean,
): readonly ConditionChange[] {
  if (deprecations === undefined) {
    return deprecationTypes.map((type) => ({
      type,
      status: 'Unknown',
      reason: 'DeprecationStatusUnknown',
      message: unknown,
    }));
  }
  const ofBundle = isInstalled ? deprecations.bundle : undefined;
  const all = [deprecations.package, deprecations.channel, ofBundle].filter((text) => text !== undefined);
  return [
    warning('Deprecated', '', all.length === 0 ? undefined : all.join('\n')),
    warning('PackageDeprecated', 'package ', deprecations.package),
    warning('ChannelDeprecated', 'channel ', deprecations.channel),
    isInstalled
      ? warning('BundleDeprecated', 'bundle ', ofBundle)
      : { type: 'BundleDeprecated', status: 'Unknown', reason: 'Absent', message: 'no bundle installed yet' },
  ];
}
