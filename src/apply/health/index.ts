import { groupOf, type KubeObject, type ObjectRef } from '../../kube/index.ts';
import { allOf, current, failed, type Health, type HealthRule, inProgress, subjectOf, textOf } from './health.ts';
import {
  daemonSetHealth,
  deploymentHealth,
  jobHealth,
  podHealth,
  replicaSetHealth,
  statefulSetHealth,
} from './workloads.ts';

export type { Health } from './health.ts';

const crdHealth: HealthRule = (subject) => {
  const names = subject.condition('NamesAccepted');
  if (textOf(names, 'status') === 'False') return failed(textOf(names, 'message'));
  const established = subject.condition('Established');
  const hasFailed = textOf(established, 'status') === 'False' && textOf(established, 'reason') !== 'Installing';
  if (hasFailed) return failed(textOf(established, 'message'));
  return allOf([[textOf(established, 'status') === 'True', 'Install in progress']]);
};

const apiServiceHealth: HealthRule = (subject) => {
  const available = subject.condition('Available');
  if (available === undefined) return { state: 'Unavailable', message: 'Available condition not found' };
  const isOut = textOf(available, 'status') === 'False';
  return isOut ? { state: 'Unavailable', message: textOf(available, 'message') } : current;
};

const claimHealth: HealthRule = ({ status }) => {
  const phase = typeof status['phase'] === 'string' ? status['phase'] : 'unknown';
  return allOf([[phase === 'Bound', `PVC is not Bound. phase: ${phase}`]]);
};

const serviceHealth: HealthRule = ({ spec }) => {
  const hasAddress = typeof spec['clusterIP'] === 'string' && spec['clusterIP'] !== '';
  return allOf([[spec['type'] !== 'LoadBalancer' || hasAddress, 'ClusterIP not set. Service type: LoadBalancer']]);
};

const genericHealth: HealthRule = (subject) => {
  const ready = subject.condition('Ready');
  return ready === undefined || textOf(ready, 'status') === 'True' ? current : inProgress(textOf(ready, 'message'));
};

const rules: Readonly<Record<string, HealthRule>> = {
  'Deployment.apps': deploymentHealth,
  'StatefulSet.apps': statefulSetHealth,
  'DaemonSet.apps': daemonSetHealth,
  'ReplicaSet.apps': replicaSetHealth,
  'Job.batch': jobHealth,
  'Pod.': podHealth,
  'PersistentVolumeClaim.': claimHealth,
  'Service.': serviceHealth,
  'CustomResourceDefinition.apiextensions.k8s.io': crdHealth,
  'APIService.apiregistration.k8s.io': apiServiceHealth,
};

/** Kinds that are healthy by being there: nothing about them is worth a request. */
const inert = new Set([
  'ConfigMap.',
  'Secret.',
  'ServiceAccount.',
  'Namespace.',
  'LimitRange.',
  'ResourceQuota.',
  'Role.rbac.authorization.k8s.io',
  'RoleBinding.rbac.authorization.k8s.io',
  'ClusterRole.rbac.authorization.k8s.io',
  'ClusterRoleBinding.rbac.authorization.k8s.io',
  'PodDisruptionBudget.policy',
  'CronJob.batch',
  'NetworkPolicy.networking.k8s.io',
  'PriorityClass.scheduling.k8s.io',
  'StorageClass.storage.k8s.io',
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
  'MutatingWebhookConfiguration.admissionregistration.k8s.io',
]);

function keyOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${kind}.${groupOf(apiVersion)}`;
}

/** Whether an object of this kind can be unhealthy. */
export function mayBeUnhealthy(ref: ObjectRef): boolean {
  return !inert.has(keyOf(ref));
}

/** The health of an object that is being deleted. */
export const terminating: Health = { state: 'Terminating', message: 'Resource scheduled for deletion' };

/** Evaluates the health of one live object. Pure. */
export function healthOf(object: KubeObject, nowMs: number): Health {
  const subject = subjectOf(object, nowMs);
  const rule = rules[keyOf(object)] ?? genericHealth;
  if (rule === apiServiceHealth) return rule(subject);
  if (object.metadata.deletionTimestamp !== undefined) return terminating;
  const observed = subject.status['observedGeneration'];
  if (typeof observed === 'number' && subject.generation !== undefined && observed !== subject.generation) {
    const text = `${subject.kind} generation is ${subject.generation}, but latest observed generation is ${observed}`;
    return inProgress(text);
  }
  const reconciling = subject.condition('Reconciling');
  if (textOf(reconciling, 'status') === 'True') return inProgress(textOf(reconciling, 'message'));
  const stalled = subject.condition('Stalled');
  if (textOf(stalled, 'status') === 'True') return failed(textOf(stalled, 'message'));
  return rule(subject);
}

/** The line for an unhealthy object: `(apps/v1, Kind=Deployment)(ns/name): object InProgress: Ready: 0/1`. */
export function healthLine(ref: ObjectRef, { state, message }: Health): string {
  const version = groupOf(ref.apiVersion) === '' ? `/${ref.apiVersion}` : ref.apiVersion;
  const place = ref.namespace === undefined || ref.namespace === '' ? ref.name : `${ref.namespace}/${ref.name}`;
  const text = state === 'Unavailable' ? message : `object ${state}: ${message}`;
  return `(${version}, Kind=${ref.kind})(${place}): ${text}`;
}
