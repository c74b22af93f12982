import { objectAt, textAt, valueAt } from '../../../src/base/index.ts';
import { asJson, type KindRules, type KubeObject } from '../../core/index.ts';
import { crdRules } from '../crd/index.ts';
import { admissionPolicyBindingRules, admissionPolicyRules } from './admission-policies.ts';
import { autoscalerToServed, autoscalerToStorage } from './autoscaler-conversion.ts';
import { autoscalerRules, autoscalerV1Rules } from './autoscalers.ts';
import { certificateRequestRules } from './certificate-requests.ts';
import { configMapRules, secretRules, serviceAccountRules } from './configuration.ts';
import { apiServiceRules, leaseRules, revisionRules } from './control-kinds.ts';
import { eventToServed, eventToStorage } from './conversions.ts';
import { cronJobRules } from './cron-jobs.ts';
import { daemonSetRules } from './daemon-sets.ts';
import { deploymentRules } from './deployments.ts';
import { disruptionBudgetRules } from './disruption-budgets.ts';
import { endpointSliceRules, endpointsRules } from './endpoints.ts';
import { coreEventRules, eventRules } from './events.ts';
import { flowSchemaRules, priorityLevelRules } from './flow-control.ts';
import { ingressClassRules, ingressRules } from './ingresses.ts';
import { jobRules } from './jobs.ts';
import { namespaceRules } from './namespaces.ts';
import { networkPolicyRules } from './network-policy.ts';
import { nodeRules, priorityClassRules, runtimeClassRules } from './nodes.ts';
import { podTemplateRules } from './pod-templates.ts';
import { podRules } from './pods.ts';
import * as policy from './policy-defaults.ts';
import { limitRangeRules, quotaRules } from './quotas.ts';
import { bindingRules, clusterRoleRules, namespacedRoleRules } from './rbac.ts';
import { replicaSetRules } from './replica-sets.ts';
import { replicationControllerRules } from './replication-controllers.ts';
import { ipAddressRules, serviceCidrRules } from './service-cidrs.ts';
import { serviceRules } from './services.ts';
import { statefulSetRules } from './stateful-sets.ts';
import {
  storageCapacityRules,
  storageClassRules,
  storageDriverRules,
  storageNodeRules,
  volumeAttachmentRules,
} from './storage-classes.ts';
import { claimRules, volumeRules } from './volumes.ts';
import { validateWebhooks } from './webhook-validation.ts';

interface Row {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Rules of a kind, and how its objects get from the version they are stored in to this one and back. */
export interface BuiltinKind extends KindRules {
  readonly toServed?: (object: KubeObject) => KubeObject;
  readonly toStorage?: (object: KubeObject) => KubeObject;
}

const webhooks: KindRules = { generationOf: ['webhooks'], validate: validateWebhooks };

function field(...path: string[]): (object: KubeObject) => string {
  return (object) => {
    const value = valueAt(objectAt(asJson(object), ...path.slice(0, -1)), path.at(-1) ?? '');
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  };
}

function fields(...paths: string[]): Readonly<Record<string, (object: KubeObject) => string>> {
  return Object.fromEntries(paths.map((path) => [path, field(...path.split('.'))]));
}

const involved = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
const event: KindRules = {
  selectableFields: {
    ...fields(...involved.map((name) => `involvedObject.${name}`), 'reason', 'reportingComponent', 'type'),
    source: (object) =>
      textAt(objectAt(asJson(object), 'source'), 'component') || textAt(asJson(object), 'reportingComponent'),
  },
};

const core: Readonly<Record<string, BuiltinKind>> = {
  Namespace: namespaceRules,
  Pod: podRules,
  ConfigMap: configMapRules,
  Service: serviceRules,
  Secret: secretRules,
  ServiceAccount: serviceAccountRules,
  Endpoints: endpointsRules,
  Event: { ...event, ...coreEventRules },
  Node: nodeRules,
  PersistentVolumeClaim: claimRules,
  PersistentVolume: volumeRules,
  PodTemplate: podTemplateRules,
  ReplicationController: replicationControllerRules,
  ResourceQuota: quotaRules,
  LimitRange: limitRangeRules,
};

const workloads: Readonly<Record<string, BuiltinKind>> = {
  'apps/v1/ControllerRevision': revisionRules,
  'apps/v1/Deployment': deploymentRules,
  'apps/v1/ReplicaSet': replicaSetRules,
  'apps/v1/StatefulSet': statefulSetRules,
  'apps/v1/DaemonSet': daemonSetRules,
  'batch/v1/Job': jobRules,
  'batch/v1/CronJob': cronJobRules,
  'autoscaling/v2/HorizontalPodAutoscaler': autoscalerRules,
  'autoscaling/v1/HorizontalPodAutoscaler': {
    ...autoscalerV1Rules,
    toServed: autoscalerToServed,
    toStorage: autoscalerToStorage,
  },
};

const others: Readonly<Record<string, BuiltinKind>> = {
  'policy/v1/PodDisruptionBudget': disruptionBudgetRules,
  'networking.k8s.io/v1/Ingress': ingressRules,
  'networking.k8s.io/v1/IngressClass': ingressClassRules,
  'networking.k8s.io/v1/NetworkPolicy': networkPolicyRules,
  'networking.k8s.io/v1/ServiceCIDR': serviceCidrRules,
  'networking.k8s.io/v1/IPAddress': ipAddressRules,
  'discovery.k8s.io/v1/EndpointSlice': endpointSliceRules,
  'events.k8s.io/v1/Event': {
    ...event,
    ...eventRules,
    selectableFields: fields(...involved.map((name) => `regarding.${name}`), 'reason', 'reportingController', 'type'),
    toServed: eventToServed,
    toStorage: eventToStorage,
  },
  'rbac.authorization.k8s.io/v1/Role': namespacedRoleRules,
  'rbac.authorization.k8s.io/v1/ClusterRole': clusterRoleRules,
  'rbac.authorization.k8s.io/v1/RoleBinding': bindingRules,
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': bindingRules,
  'storage.k8s.io/v1/StorageClass': storageClassRules,
  'storage.k8s.io/v1/CSIDriver': storageDriverRules,
  'storage.k8s.io/v1/CSINode': storageNodeRules,
  'storage.k8s.io/v1/CSIStorageCapacity': storageCapacityRules,
  'storage.k8s.io/v1/VolumeAttachment': volumeAttachmentRules,
  'scheduling.k8s.io/v1/PriorityClass': priorityClassRules,
  'node.k8s.io/v1/RuntimeClass': runtimeClassRules,
  'coordination.k8s.io/v1/Lease': leaseRules,
  'certificates.k8s.io/v1/CertificateSigningRequest': certificateRequestRules,
  'flowcontrol.apiserver.k8s.io/v1/FlowSchema': flowSchemaRules,
  'flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration': priorityLevelRules,
  'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration': {
    ...webhooks,
    applyDefaults: policy.defaultMutatingWebhooks,
  },
  'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration': {
    ...webhooks,
    applyDefaults: policy.defaultValidatingWebhooks,
  },
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy': admissionPolicyRules,
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding': admissionPolicyBindingRules,
  'apiextensions.k8s.io/v1/CustomResourceDefinition': crdRules,
  'apiregistration.k8s.io/v1/APIService': apiServiceRules,
};

const table: ReadonlyMap<string, BuiltinKind> = new Map([
  ...Object.entries(core).map(([kind, rules]) => [`/v1/${kind}`, rules] as const),
  ...Object.entries(workloads),
  ...Object.entries(others),
]);

/** The rules of one kind; empty for kinds with nothing special. */
export function rulesOf({ group, version, kind }: Row): BuiltinKind {
  return table.get(`${group}/${version}/${kind}`) ?? {};
}
