import { isJsonEqual, type JsonObject } from '../../../src/base/index.ts';
import type { KubeObject } from '../kube-object.ts';
import { defaultPodOnly, defaultPodSpec, defaultTemplate } from './pod-defaults.ts';
import {
  asJson,
  ensureObject,
  numberAt,
  objectAt,
  objectsAt,
  setDefaults,
  specOf,
  textAt,
  textsAt,
  valueAt,
} from './reading.ts';

/** Labels (and, for replication controllers, the selector) that are left out come from the template. */
function labelsFromTemplate(object: KubeObject): void {
  const labels = textsAt(specOf(object), 'template', 'metadata', 'labels');
  if (Object.keys(labels).length > 0 && object.metadata.labels === undefined) object.metadata.labels = labels;
}

/** Templates print the creation time that they cannot have. */
function setTime(metadata: JsonObject): void {
  if (!Object.hasOwn(metadata, 'creationTimestamp')) metadata['creationTimestamp'] = null;
}

export function defaultPod(object: KubeObject): void {
  const spec = specOf(object);
  defaultPodSpec(spec);
  defaultPodOnly(spec);
}

export function defaultPodTemplate(object: KubeObject): void {
  defaultTemplate(asJson(object));
}

export function defaultDeployment(object: KubeObject): void {
  const spec = specOf(object);
  setDefaults(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  const strategy = ensureObject(spec, 'strategy');
  setDefaults(strategy, { type: 'RollingUpdate' });
  if (strategy['type'] === 'RollingUpdate') {
    setDefaults(ensureObject(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
  }
  defaultTemplate(spec);
}

export function defaultReplicaSet(object: KubeObject): void {
  const spec = specOf(object);
  setDefaults(spec, { replicas: 1 });
  defaultTemplate(spec);
}

export function defaultReplicationController(object: KubeObject): void {
  const spec = specOf(object);
  const labels = textsAt(spec, 'template', 'metadata', 'labels');
  setDefaults(spec, { replicas: 1, ...(Object.keys(labels).length > 0 ? { selector: labels } : {}) });
  labelsFromTemplate(object);
  defaultTemplate(spec);
}

export function defaultStatefulSet(object: KubeObject): void {
  const spec = specOf(object);
  setDefaults(spec, { replicas: 1, podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10 });
  const strategy = ensureObject(spec, 'updateStrategy');
  setDefaults(strategy, { type: 'RollingUpdate' });
  if (strategy['type'] === 'RollingUpdate') setDefaults(ensureObject(strategy, 'rollingUpdate'), { partition: 0 });
  setDefaults(ensureObject(spec, 'persistentVolumeClaimRetentionPolicy'), {
    whenDeleted: 'Retain',
    whenScaled: 'Retain',
  });
  for (const claim of objectsAt(spec, 'volumeClaimTemplates')) {
    setTime(ensureObject(claim, 'metadata'));
    setDefaults(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
    setDefaults(ensureObject(claim, 'spec'), { volumeMode: 'Filesystem' });
    setDefaults(ensureObject(claim, 'status'), { phase: 'Pending' });
  }
  defaultTemplate(spec);
}

export function prepareDaemonSet(object: KubeObject): void {
  object.metadata.annotations = { ...object.metadata.annotations, 'deprecated.daemonset.template.generation': '1' };
  asJson(object)['status'] = {
    currentNumberScheduled: 0,
    desiredNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
  };
}

export function defaultDaemonSet(object: KubeObject): void {
  const spec = specOf(object);
  setDefaults(spec, { revisionHistoryLimit: 10 });
  const strategy = ensureObject(spec, 'updateStrategy');
  setDefaults(strategy, { type: 'RollingUpdate' });
  if (strategy['type'] === 'RollingUpdate') {
    setDefaults(ensureObject(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
  }
  defaultTemplate(spec);
}

function defaultJobSpec(spec: JsonObject): void {
  const backoffLimit = numberAt(spec, 'backoffLimitPerIndex') === undefined ? 6 : 2_147_483_647;
  const replacement = objectAt(spec, 'podFailurePolicy') === undefined ? 'TerminatingOrFailed' : 'Failed';
  setDefaults(spec, {
    backoffLimit,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: replacement,
  });
}

export function defaultJob(object: KubeObject): void {
  const spec = specOf(object);
  if (valueAt(spec, 'completions') === undefined && valueAt(spec, 'parallelism') === undefined) spec['completions'] = 1;
  setDefaults(spec, { parallelism: 1 });
  defaultJobSpec(spec);
  labelsFromTemplate(object);
  defaultTemplate(spec);
}

export function defaultCronJob(object: KubeObject): void {
  const spec = specOf(object);
  setDefaults(spec, {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  const template = objectAt(spec, 'jobTemplate');
  if (template === undefined) return;
  setTime(ensureObject(template, 'metadata'));
  defaultTemplate(ensureObject(template, 'spec'));
}

/** The selector and template labels by which the job controller finds its pods; they carry the job's uid, so they are made at creation. */
export function prepareJob(object: KubeObject): void {
  const spec = specOf(object);
  asJson(object)['status'] = {};
  const labels = ensureObject(ensureObject(ensureObject(spec, 'template'), 'metadata'), 'labels');
  const isFromTemplate = isJsonEqual({ ...object.metadata.labels }, labels);
  if (valueAt(spec, 'manualSelector') === true) return;
  const { uid = '', name = '' } = object.metadata;
  const generated: JsonObject = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  for (const [key, value] of Object.entries(generated)) labels[key] = value;
  if (isFromTemplate) object.metadata.labels = textsAt(spec, 'template', 'metadata', 'labels');
  const selector = ensureObject(spec, 'selector');
  const match = ensureObject(selector, 'matchLabels');
  if (textAt(match, 'batch.kubernetes.io/controller-uid') === '') match['batch.kubernetes.io/controller-uid'] = uid;
}
