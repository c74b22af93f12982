import {
  isJsonEqual,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  sortedKeys,
  textAt,
  valueAt,
} from '../../../../src/base/index.ts';
import {
  type FieldError,
  forbiddenField,
  goLiteral,
  goTextMap,
  invalidField,
  requiredField,
} from '../../../../src/schema/index.ts';
import { asJson, type KubeObject, numberAt, textsAt } from '../../../core/index.ts';
import { greatestInt32, rangeText } from '../checks.ts';
import { readSpec } from '../workload-rules.ts';
import { appArmorPrefix, mirrorAnnotation, podAnnotationErrors } from './annotations.ts';
import { imageErrors } from './containers.ts';
import { tolerationErrors } from './scheduling.ts';

function lockedWords(key: string): string | undefined {
  if (key.startsWith(appArmorPrefix)) return 'AppArmor annotations';
  return key === mirrorAnnotation ? 'mirror pod annotation' : undefined;
}

/** Errors of annotations that stay as they were at creation. */
export function lockedAnnotationErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const [now, before] = [object.metadata.annotations ?? {}, old.metadata.annotations ?? {}];
  const refuse = (key: string, verb: string): FieldError[] => {
    const words = lockedWords(key);
    return words === undefined ? [] : [forbiddenField(`metadata.annotations[${key}]`, `may not ${verb} ${words}`)];
  };
  return [
    ...Object.entries(before).flatMap(([key, value]) => (now[key] === value ? [] : refuse(key, 'remove or update'))),
    ...Object.keys(now).flatMap((key) => (Object.hasOwn(before, key) ? [] : refuse(key, 'add'))),
  ];
}

function listErrors(
  spec: JsonObject,
  old: JsonObject,
  list: string,
): { readonly errors: FieldError[]; readonly isOther: boolean } {
  const [now, before] = [objectsAt(spec, list), objectsAt(old, list)];
  if (now.length !== before.length) {
    return { errors: [forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')], isOther: true };
  }
  const errors = now.flatMap((container, index) => {
    const at = `spec.${list}[${index}]`;
    const missing = textAt(container, 'image') === '' ? [requiredField(`${at}.image`)] : [];
    return [...missing, ...imageErrors(container, at)];
  });
  return { errors, isOther: false };
}

function deadlineErrors(
  spec: JsonObject,
  old: JsonObject,
): { readonly errors: FieldError[]; readonly isWrong: boolean } {
  const [now, before] = [numberAt(spec, 'activeDeadlineSeconds'), numberAt(old, 'activeDeadlineSeconds')];
  const refuse = (text: string, isWrong: boolean): { readonly errors: FieldError[]; readonly isWrong: boolean } => ({
    errors: [invalidField('spec.activeDeadlineSeconds', now, text)],
    isWrong,
  });
  if (now === undefined) {
    return before === undefined
      ? { errors: [], isWrong: false }
      : refuse('must not update from a positive integer to nil value', false);
  }
  if (now < 0 || now > greatestInt32) return refuse(rangeText(0, greatestInt32), true);
  if (before !== undefined && before < now) return refuse('must be less than or equal to previous value', true);
  return { errors: [], isWrong: false };
}

/** Equal for tolerations that differ in their seconds alone. */
function tolerationKey({ tolerationSeconds: _seconds, ...rest }: JsonObject): string {
  return JSON.stringify(sortedKeys(rest));
}

function addedTolerationErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const now = new Set(objectsAt(spec, 'tolerations').map(tolerationKey));
  if (objectsAt(old, 'tolerations').every((toleration) => now.has(tolerationKey(toleration))))
    return tolerationErrors(spec, 'spec');
  return [forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function addedGateErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const known = new Set(objectsAt(old, 'schedulingGates').map((gate) => textAt(gate, 'name')));
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    const text = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return known.has(name) ? [] : [forbiddenField(`spec.schedulingGates[${index}].name`, text)];
  });
}

function withoutImages(spec: JsonObject, list: string): JsonValue {
  return objectsAt(spec, list).map(({ image: _image, ...container }) => container);
}

function graceOf(spec: JsonObject, old: JsonObject): JsonValue {
  const [now, before] = [
    numberAt(spec, 'terminationGracePeriodSeconds'),
    numberAt(old, 'terminationGracePeriodSeconds'),
  ];
  return now === 1 && before !== undefined && before < 0 ? before : (now ?? null);
}

/** The spec without what may change. */
function fixedSpec(spec: JsonObject, old: JsonObject, isGated: boolean): JsonObject {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, schedulingGates: _gates, ...rest } = spec;
  const fixed: JsonObject = {
    ...rest,
    containers: withoutImages(spec, 'containers'),
    initContainers: withoutImages(spec, 'initContainers'),
    terminationGracePeriodSeconds: graceOf(spec, old),
  };
  if (!isGated) return fixed;
  delete fixed['nodeSelector'];
  const { nodeAffinity: _node, ...affinity } = objectAt(spec, 'affinity') ?? {};
  delete fixed['affinity'];
  return Object.keys(affinity).length === 0 ? fixed : { ...fixed, affinity };
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

function startsWith(list: readonly JsonObject[], start: readonly JsonObject[]): boolean {
  return start.length <= list.length && isJsonEqual(list.slice(0, start.length), [...start]);
}

function onlyAdds(term: JsonObject | undefined, old: JsonObject): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  const isEmpty = lists.every((list) => objectsAt(old, list).length === 0);
  if (isEmpty) return lists.every((list) => objectsAt(term, list).length === 0);
  return lists.every((list) => startsWith(objectsAt(term, list), objectsAt(old, list)));
}

function affinityErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const terms = (from: JsonObject): JsonObject[] =>
    objectsAt(objectAt(from, 'affinity', 'nodeAffinity', required), 'nodeSelectorTerms');
  const [now, before] = [terms(spec), terms(old)];
  const path = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`;
  if (before.length === 0) return [];
  if (now.length !== before.length) {
    const text = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    const shown = goLiteral(now.length === 0 ? '[]core.NodeSelectorTerm(nil)' : '[]core.NodeSelectorTerm{…}');
    return [invalidField(path, shown, text)];
  }
  return before.flatMap((term, index) => {
    const text = 'only additions are allowed (no mutations or deletions)';
    const shown = goLiteral('core.NodeSelectorTerm{…}');
    return onlyAdds(now[index], term) ? [] : [invalidField(`${path}[${index}]`, shown, text)];
  });
}

/** While its gates are closed a pod may still be restricted to fewer nodes. */
function gatedErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const [now, before] = [objectAt(spec, 'nodeSelector'), objectAt(old, 'nodeSelector') ?? {}];
  const isKept = Object.entries(before).every(([key, value]) => valueAt(now, key) === value);
  const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [...(isKept ? [] : [invalidField('spec.nodeSelector', goTextMap(now), text)]), ...affinityErrors(spec, old)];
}

const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

/** Errors of the step from one pod to the next, beside what is wrong with the pod itself. The simulation binds pods to nodes by writing
 *  `nodeName`; requests cannot. */
export function podChangeErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [readSpec(object), readSpec(old)];
  const errors = [
    ...lockedAnnotationErrors(object, old),
    // Validated a second time, as kube-apiserver does: its causes appear twice.
    ...podAnnotationErrors(textsAt(asJson(object), 'metadata', 'annotations'), spec, 'metadata.annotations'),
  ];
  for (const list of ['containers', 'initContainers']) {
    const found = listErrors(spec, before, list);
    errors.push(...found.errors);
    if (found.isOther) return errors;
  }
  const deadline = deadlineErrors(spec, before);
  errors.push(...deadline.errors);
  if (deadline.isWrong) return errors;
  errors.push(...addedTolerationErrors(spec, before), ...addedGateErrors(spec, before));
  const isGated = objectsAt(before, 'schedulingGates').length > 0;
  if (isGated) errors.push(...gatedErrors(spec, before));
  if (isJsonEqual(fixedSpec(spec, before, isGated), fixedSpec(before, before, isGated))) return errors;
  return [...errors, forbiddenField('spec', `pod updates may not change fields other than ${changeable.join(',')}\n`)];
}
