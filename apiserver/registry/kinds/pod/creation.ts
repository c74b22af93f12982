import { type JsonObject, listOfTexts, objectAt, objectsAt, textAt } from '../../../../src/base/index.ts';
import { asJson, ensureObject, type KubeObject, specOf, textsAt } from '../../../core/index.ts';
import { appArmorPrefix } from './annotations.ts';
import { dropDisabledFields } from './disabled-fields.ts';
import { qosClass } from './qos.ts';
import { appArmorErrors } from './security.ts';
import { containersWithPaths } from './windows.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

function podTerms(spec: JsonObject): JsonObject[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const affinity = objectAt(spec, 'affinity', kind);
    const weighted = objectsAt(affinity, preferred).map((term) => objectAt(term, 'podAffinityTerm') ?? {});
    return [...weighted, ...objectsAt(affinity, required)];
  });
}

/** The keys of labels that a term takes from the pod become expressions of its selector. */
function applyLabelKeys(term: JsonObject, labels: Readonly<Record<string, string>>): void {
  const selector = objectAt(term, 'labelSelector');
  if (selector === undefined) return;
  const expressions = [
    ['matchLabelKeys', 'In'],
    ['mismatchLabelKeys', 'NotIn'],
  ].flatMap(([list = '', operator = '']) =>
    listOfTexts(term, list).flatMap((key) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    }),
  );
  if (expressions.length === 0) return;
  selector['matchExpressions'] = [...objectsAt(selector, 'matchExpressions'), ...expressions];
}

const localPrefix = 'localhost/';

function annotationOf(profile: JsonObject | undefined): string | undefined {
  switch (textAt(profile, 'type')) {
    case 'Unconfined':
      return 'unconfined';
    case 'RuntimeDefault':
      return 'runtime/default';
    case 'Localhost': {
      const local = textAt(profile, 'localhostProfile');
      return local === '' ? undefined : `${localPrefix}${local}`;
    }
    default:
      return undefined;
  }
}

function profileOf(annotation: string): JsonObject | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const local = annotation.startsWith(localPrefix) ? annotation.slice(localPrefix.length) : '';
  const profile = { type: 'Localhost', localhostProfile: local };
  return local === '' || appArmorErrors({ appArmorProfile: profile }, '').length > 0 ? undefined : profile;
}

function isSameProfile(one: JsonObject, other: JsonObject | undefined): boolean {
  return annotationOf(one) === annotationOf(other);
}

/** AppArmor profiles stand in fields and, for old kubelets, in annotations: what is in one only goes to the other. */
function alignAppArmor(object: KubeObject, spec: JsonObject): void {
  if (textAt(objectAt(spec, 'os'), 'name') === 'windows') return;
  const ofPod = objectAt(spec, 'securityContext', 'appArmorProfile');
  for (const [container] of containersWithPaths(spec, '')) {
    const key = `${appArmorPrefix}${textAt(container, 'name')}`;
    const annotation = object.metadata.annotations?.[key];
    const own = objectAt(container, 'securityContext', 'appArmorProfile');
    if (annotation === undefined) {
      const made = annotationOf(own ?? ofPod);
      if (made !== undefined) object.metadata.annotations = { ...object.metadata.annotations, [key]: made };
    } else if (own === undefined) {
      const profile = profileOf(annotation);
      if (profile === undefined || isSameProfile(profile, ofPod)) continue;
      ensureObject(container, 'securityContext')['appArmorProfile'] = profile;
    }
  }
}

const gated = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
  lastProbeTime: null,
};

/** The client named profiles in fields itself. */
function hasProfiles(object: KubeObject): boolean {
  return JSON.stringify(object.metadata.managedFields ?? []).includes('"f:appArmorProfile"');
}

/** Warnings about AppArmor profiles of a new pod, already prepared, that stood in annotations only. */
export function appArmorWarnings(object: KubeObject): string[] {
  const spec = specOf(object);
  const annotations = object.metadata.annotations ?? {};
  if (!Object.keys(annotations).some((key) => key.startsWith(appArmorPrefix)) || hasProfiles(object)) return [];
  if (textAt(objectAt(spec, 'os'), 'name') === 'windows') return [];
  return containersWithPaths(spec, '').flatMap(([container]) => {
    const key = `${appArmorPrefix}${textAt(container, 'name')}`;
    const text = 'deprecated since v1.30; use the "appArmorProfile" field instead';
    return annotations[key] === undefined ? [] : [`metadata.annotations[${key}]: ${text}`];
  });
}

/** Sets what a new pod begins with: its status, selectors that depend on its labels, AppArmor profiles. */
export function preparePod(object: KubeObject): void {
  const spec = specOf(object);
  dropDisabledFields(spec);
  const isGated = objectsAt(spec, 'schedulingGates').length > 0;
  const conditions = isGated
    ? { conditions: [{ ...gated, lastTransitionTime: object.metadata.creationTimestamp ?? null }] }
    : {};
  asJson(object)['status'] = { phase: 'Pending', qosClass: qosClass(spec), ...conditions };
  const labels = textsAt(asJson(object), 'metadata', 'labels');
  for (const term of podTerms(spec)) applyLabelKeys(term, labels);
  alignAppArmor(object, spec);
}
