import { isJsonEqual, type JsonObject, objectAt, objectsAt, textAt } from '../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  type FieldError,
  forbiddenField,
  goLiteral,
  goPointer,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { ensureObject, type KindRules, type KubeObject, numberAt, setDefaults, specOf } from '../../core/index.ts';
import { invalids, notNegative } from './checks.ts';
import { claimSpecWarnings } from './claim-spec.ts';
import { lastingErrors, mismatchErrors, templateMetaErrors } from './pod/template.ts';
import { defaultTemplate } from './pod-defaults.ts';
import { isEmptySelector } from './selectors.ts';
import { beginsWith, readSpec, selectorAndTemplateErrors, templateWarnings } from './workload-rules.ts';
import { statusRule } from './workload-status.ts';

function defaultClaim(claim: JsonObject): void {
  const metadata = ensureObject(claim, 'metadata');
  if (!Object.hasOwn(metadata, 'creationTimestamp')) metadata['creationTimestamp'] = null;
  Object.assign(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
  setDefaults(ensureObject(claim, 'spec'), { volumeMode: 'Filesystem' });
  setDefaults(ensureObject(claim, 'status'), { phase: 'Pending' });
}

function defaultStrategy(strategy: JsonObject): void {
  if (textAt(strategy, 'type') === '') {
    strategy['type'] = 'RollingUpdate';
    ensureObject(strategy, 'rollingUpdate');
  }
  const rolling = objectAt(strategy, 'rollingUpdate');
  if (strategy['type'] === 'RollingUpdate' && rolling !== undefined) setDefaults(rolling, { partition: 0 });
}

function applyDefaults(object: KubeObject): void {
  const spec = specOf(object);
  setDefaults(spec, { replicas: 1, podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10 });
  defaultStrategy(ensureObject(spec, 'updateStrategy'));
  const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
  setDefaults(retention, { whenDeleted: 'Retain', whenScaled: 'Retain' });
  for (const claim of objectsAt(spec, 'volumeClaimTemplates')) defaultClaim(claim);
  defaultTemplate(spec);
}

function managementErrors(spec: JsonObject): FieldError[] {
  const policy = textAt(spec, 'podManagementPolicy');
  const field = 'spec.podManagementPolicy';
  if (policy === '') return [requiredField(field)];
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalidField(field, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function shownRolling(rolling: JsonObject): string {
  const partition = numberAt(rolling, 'partition') ?? 0;
  return `apps.RollingUpdateStatefulSetStrategy{Partition:${partition}, MaxUnavailable:(*intstr.IntOrString)(nil)}`;
}

function strategyErrors(spec: JsonObject): FieldError[] {
  const strategy = objectAt(spec, 'updateStrategy');
  const [type, rolling] = [textAt(strategy, 'type'), objectAt(strategy, 'rollingUpdate')];
  const path = 'spec.updateStrategy';
  if (type === 'RollingUpdate') return notNegative(rolling, `${path}.rollingUpdate`, ['partition']);
  if (type === 'OnDelete') {
    const text = "only allowed for updateStrategy 'RollingUpdate'";
    return rolling === undefined ? [] : [invalidField(`${path}.rollingUpdate`, goLiteral(shownRolling(rolling)), text)];
  }
  const pointer = goPointer('apps.RollingUpdateStatefulSetStrategy', rolling !== undefined);
  const shown = goLiteral(`apps.StatefulSetUpdateStrategy{Type:${JSON.stringify(type)}, RollingUpdate:${pointer}}`);
  return [invalidField(path, shown, "must be 'RollingUpdate' or 'OnDelete'")];
}

function retentionErrors(spec: JsonObject): FieldError[] {
  const policy = objectAt(spec, 'persistentVolumeClaimRetentionPolicy');
  const supported = ['Retain', 'Delete'];
  return ['whenDeleted', 'whenScaled'].flatMap((key) => {
    const value = textAt(policy, key);
    const field = `spec.persistentVolumeClaimRetentionPolicy.${key}`;
    return policy === undefined || supported.includes(value) ? [] : [unsupportedField(field, value, supported)];
  });
}

/** The containers of the template are left to the creation of its pods. */
function setTemplateErrors(spec: JsonObject, selector: JsonObject | undefined): FieldError[] {
  const template = objectAt(spec, 'template');
  const isAll = selector !== undefined && isEmptySelector(selector);
  return [
    ...(isAll ? [] : mismatchErrors(selector, template, 'spec.template')),
    ...templateMetaErrors(template, 'spec.template'),
  ];
}

/** A service name that was accepted once is not looked at again. */
function specErrors(spec: JsonObject, isNew: boolean): FieldError[] {
  const service = isNew ? textAt(spec, 'serviceName') : '';
  return [
    ...managementErrors(spec),
    ...strategyErrors(spec),
    ...retentionErrors(spec),
    ...notNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...notNegative(objectAt(spec, 'ordinals'), 'spec.ordinals', ['start']),
    ...(service === '' ? [] : invalids('spec.serviceName', service, dns1123LabelProblems(service))),
    ...selectorAndTemplateErrors(spec, { kind: 'statefulset', malformed: '' }, (selector) =>
      setTemplateErrors(spec, selector),
    ),
    ...lastingErrors(objectAt(spec, 'template'), 'spec.template', 'StatefulSet'),
  ];
}

const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

function validateChange(object: KubeObject, old: KubeObject): FieldError[] {
  const fixed = (set: KubeObject): JsonObject =>
    Object.fromEntries(Object.entries(readSpec(set)).filter(([key]) => !changeable.includes(key)));
  const errors = specErrors(readSpec(object), false);
  if (isJsonEqual(fixed(object), fixed(old))) return errors;
  const list = changeable.map((key) => `'${key}'`);
  const names = `${list.slice(0, -1).join(', ')} and ${list.at(-1) ?? ''}`;
  return [
    ...errors,
    forbiddenField('spec', `updates to statefulset spec for fields other than ${names} are forbidden`),
  ];
}

function warnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const spec = readSpec(object);
  const ofClaims = objectsAt(spec, 'volumeClaimTemplates').flatMap((claim, index) => {
    const path = `spec.volumeClaimTemplates[${index}]${old === undefined ? '' : '.Spec'}`;
    return claimSpecWarnings(objectAt(claim, 'spec') ?? {}, path);
  });
  const keepsAll = (numberAt(spec, 'revisionHistoryLimit') ?? 0) < 0;
  const text = 'a negative value retains all historical revisions; a value >= 0 is recommended';
  return [
    ...templateWarnings(object, old, { warnsOfName: false, parts: ['spec'] }),
    ...ofClaims,
    ...(keepsAll ? [`spec.revisionHistoryLimit: ${text}`] : []),
  ];
}

/** How many pods may be away at once is decided behind a feature that is off. */
function dropDisabledStrategy(object: KubeObject): void {
  delete objectAt(readSpec(object), 'updateStrategy', 'rollingUpdate')?.['maxUnavailable'];
}

const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];

/** Rules of StatefulSets. */
export const statefulSetRules: KindRules = {
  applyDefaults,
  validate: (object) => specErrors(readSpec(object), true),
  validateChange,
  validateStatus: statusRule({
    counts: ['replicas', ...parts, 'observedGeneration', 'collisionCount'],
    parts,
    readyWord: 'status.readyReplicas',
    countsCollisions: true,
  }),
  warnings,
  prepareForCreate: (object) => {
    dropDisabledStrategy(object);
    beginsWith({ availableReplicas: 0, replicas: 0 })(object);
  },
  prepareForUpdate: dropDisabledStrategy,
  generationOf: ['spec'],
  nameProblems: dns1123LabelProblems,
};
