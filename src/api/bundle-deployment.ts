import { apiVersion } from './constants.ts';
import { type BundleDeploymentSpecTemplate, type BundleDeploymentStatusRecord } from './generated/bundle-deployment.ts';
import type { Resource } from './resource.ts';

/** `spec.template`: what the Bundles of a BundleDeployment are made from. */
export type BundleTemplate = BundleDeploymentSpecTemplate;

/** `status.record`: what belongs to a BundleDeployment, by uid. */
export type BundleDeploymentRecord = BundleDeploymentStatusRecord;

/** Condition types of a BundleDeployment. */
export type BundleDeploymentConditionType =
  | 'HasValidBundle'
  | 'Installed'
  | 'Healthy'
  | 'Paused'
  | 'ObjectsKept'
  | 'Removing'
  | 'Tested';
/** Reasons of `HasValidBundle`. */
export type HasValidBundleReason =
  | 'BundleUnknown'
  | 'ReconcileFailed'
  | 'UnpackPending'
  | 'UnpackFailed'
  | 'UnpackSuccessful'
  | 'BundleLoadFailed'
  | 'NoProvisioner';
/** Reasons of `Installed`. */
export type InstalledReason =
  | 'InstallPending'
  | 'InstallIncomplete'
  | 'NoProvisioner'
  | 'DependenciesNotMet'
  | 'PermissionsMissing'
  | 'ErrorGettingClient'
  | 'ErrorGettingReleaseState'
  | 'InstallFailed'
  | 'UpgradeFailed'
  | 'ReconcileFailed'
  | 'CreateDynamicWatchFailed'
  | 'HookRunning'
  | 'InstallationSucceeded';
/** Reasons of `ObjectsKept`: whether the last pivot, or the removal, retained objects that were to be deleted. */
export type ObjectsKeptReason = 'NothingKept' | 'CrdInUse';
/** Reasons of `Removing`: whether a deployment that is to go is still there, and what stands against it. */
export type RemovingReason = 'NotRemoved' | 'Removing' | 'RemovalFailed';
/** Reasons of `Tested`: how the tests of a chart ended that were requested last. */
export type TestedReason = 'TestsRunning' | 'TestsSucceeded' | 'TestsFailed' | 'NoTests';
/** Reasons of `Healthy`. */
export type HealthyReason = 'InstallationStatusUnknown' | 'InstallationStatusFalse' | 'Unhealthy' | 'Healthy';
/** Reasons of `Paused`. */
export type PausedReason = 'Paused' | 'NotPaused' | 'CertificatesOverdue';

/** Where the kind is served. */
export const bundleDeploymentResource: Resource = {
  apiVersion,
  kind: 'BundleDeployment',
  plural: 'bundledeployments',
};
