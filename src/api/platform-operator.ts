import { type PlatformOperator, platformOperatorShape } from './generated/platform-operator.ts';
import type { Resource } from './resource.ts';
import { checkObject } from './shape.ts';

/** Where the kind is served. */
export const platformOperatorResource: Resource = {
  apiVersion: 'platform.openshift.io/v1alpha1',
  kind: 'PlatformOperator',
  plural: 'platformoperators',
};

/** Condition types of a PlatformOperator. All but the first are ours: whether an update is at hand, and the warnings of the catalog. */
export type PlatformOperatorConditionType =
  | 'Installed'
  | 'UpToDate'
  | 'Deprecated'
  | 'PackageDeprecated'
  | 'ChannelDeprecated'
  | 'BundleDeprecated';
/** Reasons of `Installed`; in addition, those of the BundleDeployment. */
export type PlatformInstalledReason =
  | 'SourceFailed'
  | 'UnpackPending'
  | 'InstallPending'
  | 'InstallFailed'
  | 'InstallSuccessful';
/** Reasons of `UpToDate`. */
export type UpToDateReason = 'NothingNewer' | 'UpdateAvailable' | 'Updating' | 'UpdateBlocked' | 'CatalogsUnknown';

/** On a BundleDeployment that is made for a package: its name. */
export const platformPackageLabel = 'platform.openshift.io/package';
/** On the same, as annotations: what was chosen, in JSON, with where it comes from. */
export const platformChoiceAnnotation = 'platform.openshift.io/choice';

/** The typed view of a PlatformOperator that came from outside; it is the same value, so that no field gets lost.
 *  @throws TerminalError InvalidObject, naming the field */
export function parsePlatformOperator(raw: unknown): PlatformOperator {
  return checkObject(platformOperatorResource, platformOperatorShape, raw) as unknown as PlatformOperator;
}
