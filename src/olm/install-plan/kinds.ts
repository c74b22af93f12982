import type { InstallPlanStep } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { ensureCrd } from './crd-step.ts';
import { type Applied, ensure, ensureComponent } from './ensure.ts';
import { copySecret, ensureCsv, ensureSubscription } from './own-kinds.ts';
import type { StepRun } from './step-run.ts';

/** How the steps of one kind are applied. */
export interface StepKind {
  /** Whether the step has the object; else it is found elsewhere. */
  readonly hasManifest: boolean;
  readonly apply: (given: StepRun, manifest: JsonObject) => Promise<Applied>;
}

const byManifest = (apply: StepKind['apply']): StepKind => ({ hasManifest: true, apply });

const olmGroup = 'operators.coreos.com';
const rbacGroup = 'rbac.authorization.k8s.io';
const monitoringGroup = 'monitoring.coreos.com';
const consoleGroup = 'console.openshift.io';

/** By kind and group.
 *  @see docs/spec/olm-v0.md#install-plans */
const kinds: ReadonlyMap<string, StepKind> = new Map([
  [`ClusterServiceVersion.${olmGroup}`, byManifest(ensureCsv)],
  [`Subscription.${olmGroup}`, byManifest(ensureSubscription)],
  ['CustomResourceDefinition.apiextensions.k8s.io', byManifest(ensureCrd)],
  ['Secret.', { hasManifest: false, apply: copySecret }],
  ...['BundleSecret', 'ServiceAccount', 'ConfigMap', 'Service'].map(
    (kind) => [`${kind}.`, byManifest(ensureComponent)] as const,
  ),
  ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map(
    (kind) => [`${kind}.${rbacGroup}`, byManifest(ensureComponent)] as const,
  ),
  ...['PrometheusRule', 'ServiceMonitor'].map((kind) => [`${kind}.${monitoringGroup}`, byManifest(ensure)] as const),
  ['PodDisruptionBudget.policy', byManifest(ensure)],
  ['PriorityClass.scheduling.k8s.io', byManifest(ensure)],
  ['VerticalPodAutoscaler.autoscaling.k8s.io', byManifest(ensure)],
  ['NetworkPolicy.networking.k8s.io', byManifest(ensure)],
  ...['YAMLSample', 'QuickStart', 'CLIDownload', 'Link', 'Plugin'].map(
    (kind) => [`Console${kind}.${consoleGroup}`, byManifest(ensure)] as const,
  ),
]);

/** How a step is applied; undefined for a kind that plans do not apply. */
export function stepKindOf({ resource: { kind, group } }: InstallPlanStep): StepKind | undefined {
  return kinds.get(`${kind}.${group}`);
}
