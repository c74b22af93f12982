import type { Resource } from './resource.ts';

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

/** A bundle that was chosen for a package, with all that is needed to install it again when the catalog does not exist any more. */
export interface PlatformChoice {
  readonly package: string;
  readonly bundle: string;
  readonly version: string;
  readonly release?: string;
  readonly image: string;
  readonly channel?: string;
  readonly catalog: { readonly name: string; readonly digest?: string };
  /** Why this one, for users. */
  readonly reason: string;
}
