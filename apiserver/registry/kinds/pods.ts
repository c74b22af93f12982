import { isJsonEqual, type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../../src/base/index.ts';
import { type FieldError, forbiddenField } from '../../../src/schema/index.ts';
import {
  asJson,
  ensureObject,
  type KindRules,
  type KubeObject,
  type SubresourceRules,
  specOf,
  textsAt,
} from '../../core/index.ts';
import { podAnnotationErrors, profileAgreementErrors } from './pod/annotations.ts';
import { imageErrors } from './pod/containers.ts';
import { appArmorWarnings, preparePod } from './pod/creation.ts';
import { dropDisabledFields } from './pod/disabled-fields.ts';
import { keepAllButResources, resizeChangeErrors } from './pod/resize.ts';
import { podSpecErrors } from './pod/spec.ts';
import { podStatusErrors, podStatusWarnings } from './pod/status.ts';
import { lockedAnnotationErrors, podChangeErrors } from './pod/update.ts';
import { podWarnings } from './pod/warnings.ts';
import { defaultPodOnly, defaultPodSpec } from './pod-defaults.ts';
import { nameWarnings, readSpec } from './workload-rules.ts';

function applyDefaults(object: KubeObject): void {
  const spec = specOf(object);
  defaultPodSpec(spec);
  defaultPodOnly(spec);
}

function annotationsOf(object: KubeObject): Record<string, string> {
  return textsAt(asJson(object), 'metadata', 'annotations');
}

/** A token for a service account, in a pod that has none. */
function strayTokenErrors(spec: JsonObject): FieldError[] {
  if (textAt(spec, 'serviceAccountName') !== '') return [];
  const text = 'must not be specified when serviceAccountName is not set';
  return objectsAt(spec, 'volumes').flatMap((volume, index) =>
    objectsAt(objectAt(volume, 'projected'), 'sources').flatMap((source, number) => {
      const field = `spec.volumes[${index}].projected.sources[${number}].serviceAccountToken`;
      return objectAt(source, 'serviceAccountToken') === undefined ? [] : [forbiddenField(field, text)];
    }),
  );
}

/** Rules for a pod by itself, new or changed. */
function ownErrors(object: KubeObject): FieldError[] {
  const spec = readSpec(object);
  const podName = object.metadata.name ?? '';
  return [
    ...podAnnotationErrors(annotationsOf(object), spec, 'metadata.annotations'),
    ...podSpecErrors(spec, { path: 'spec', isPod: true, podName }),
    ...strayTokenErrors(spec),
    ...['containers', 'initContainers'].flatMap((list) =>
      objectsAt(spec, list).flatMap((container, index) => imageErrors(container, `spec.${list}[${index}]`)),
    ),
  ];
}

function validate(object: KubeObject): FieldError[] {
  const spec = readSpec(object);
  const errors = ownErrors(object);
  if (objectsAt(spec, 'ephemeralContainers').length > 0) {
    errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if (textAt(spec, 'nodeName') !== '' && objectsAt(spec, 'schedulingGates').length > 0) {
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return [...errors, ...profileAgreementErrors(annotationsOf(object), spec, 'spec')];
}

function validateChange(object: KubeObject, old: KubeObject): FieldError[] {
  const changes = podChangeErrors(object, old);
  return [...ownErrors(object), ...changes];
}

function ephemeralChangeErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const now = new Map(
    objectsAt(readSpec(object), 'ephemeralContainers').map((container) => [textAt(container, 'name'), container]),
  );
  const errors = [...ownErrors(object), ...lockedAnnotationErrors(object, old)];
  for (const before of objectsAt(readSpec(old), 'ephemeralContainers')) {
    const name = textAt(before, 'name');
    const container = now.get(name);
    const refuse = (verb: string): FieldError =>
      forbiddenField('spec.ephemeralContainers', `existing ephemeral containers "${name}" may not be ${verb}\n`);
    if (container === undefined) errors.push(refuse('removed'));
    else if (!isJsonEqual(container, before)) errors.push(refuse('changed'));
  }
  return errors;
}

/** Everything but the ephemeral containers comes from the old pod. */
function keepAllButEphemeral(object: KubeObject, old: KubeObject): void {
  const given = valueAt(readSpec(object), 'ephemeralContainers');
  const { ephemeralContainers: _old, ...spec } = structuredClone(readSpec(old));
  asJson(object)['spec'] = given === undefined ? spec : { ...spec, ephemeralContainers: given };
  const status = objectAt(asJson(old), 'status');
  if (status !== undefined) asJson(object)['status'] = structuredClone(status);
}

const subresources: ReadonlyMap<string, SubresourceRules> = new Map([
  ['ephemeralcontainers', { prepare: keepAllButEphemeral, validate: ephemeralChangeErrors }],
  [
    'resize',
    {
      prepare: keepAllButResources,
      validate: (object: KubeObject, old: KubeObject) => resizeChangeErrors(object, old, ownErrors(object)),
    },
  ],
  // What a scheduler decides is not looked at again.
  ['binding', { prepare: () => {}, validate: () => [] }],
  ['eviction', { prepare: () => {}, validate: () => [] }],
]);

function isDeletedAtOnce(object: KubeObject): boolean {
  const phase = textAt(objectAt(asJson(object), 'status'), 'phase');
  return textAt(readSpec(object), 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed';
}

function graceSeconds(object: KubeObject, requested: number | undefined): number {
  if (isDeletedAtOnce(object)) return 0;
  const own = valueAt(readSpec(object), 'terminationGracePeriodSeconds');
  const seconds = requested ?? (typeof own === 'number' ? own : 0);
  return seconds < 0 ? 1 : seconds;
}

const inSpec = (name: string) => (object: KubeObject) => textAt(readSpec(object), name);
const inStatus = (name: string) => (object: KubeObject) => textAt(objectAt(asJson(object), 'status'), name);

/** The first address of the list stands for itself, too. */
function alignAddresses(status: JsonObject): void {
  const [single, [first]] = [textAt(status, 'podIP'), objectsAt(status, 'podIPs')];
  if (first === undefined && single !== '') status['podIPs'] = [{ ip: single }];
  else if (first !== undefined && single === '') status['podIP'] = textAt(first, 'ip');
  else if (first !== undefined && single !== textAt(first, 'ip')) status['podIPs'] = [{ ip: single }];
}

/** A status without a class of service does not change it. */
function prepareForStatusUpdate(object: KubeObject, old: KubeObject): void {
  const before = inStatus('qosClass')(old);
  const status = ensureObject(asJson(object), 'status');
  if (textAt(status, 'qosClass') === '' && before !== '') status['qosClass'] = before;
  delete status['resourceClaimStatuses'];
  alignAddresses(status);
  if (old.metadata.ownerReferences === undefined) delete object.metadata.ownerReferences;
  else object.metadata.ownerReferences = structuredClone(old.metadata.ownerReferences);
}

/** Rules of Pods.
 *  @see docs/spec/kube-api-types.md#pod-template */
export const podRules: KindRules = {
  applyDefaults,
  validate,
  validateChange,
  validateStatus: podStatusErrors,
  statusWarnings: podStatusWarnings,
  subresources,
  warnings: (object, old) =>
    old === undefined
      ? [...appArmorWarnings(object), ...nameWarnings(object, "the Pod's hostname"), ...podWarnings(asJson(object), '')]
      : [],
  prepareForCreate: preparePod,
  prepareForUpdate: (object) => dropDisabledFields(specOf(object)),
  prepareForStatusUpdate,
  generationOf: ['spec'],
  graceSeconds,
  selectableFields: {
    'spec.nodeName': inSpec('nodeName'),
    // An old name of the same.
    'spec.host': inSpec('nodeName'),
    'spec.restartPolicy': inSpec('restartPolicy'),
    'spec.schedulerName': inSpec('schedulerName'),
    'spec.serviceAccountName': inSpec('serviceAccountName'),
    'spec.hostNetwork': (object) => String(valueAt(readSpec(object), 'hostNetwork') === true),
    'status.phase': inStatus('phase'),
    'status.podIP': inStatus('podIP'),
    'status.podIPs': (object) => {
      const addresses = objectsAt(objectAt(asJson(object), 'status'), 'podIPs').map((item) => textAt(item, 'ip'));
      return addresses.join();
    },
    'status.nominatedNodeName': inStatus('nominatedNodeName'),
  },
};
