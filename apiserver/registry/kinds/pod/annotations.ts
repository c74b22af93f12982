import { type JsonObject, objectAt, textAt } from '../../../../src/base/index.ts';
import { type FieldError, forbiddenField, invalidField } from '../../../../src/schema/index.ts';
import { descendingPathErrors } from './paths.ts';
import { containersWithPaths } from './windows.ts';

/** Annotations of pods, and of templates of pods, that mean something to the server. */

type Annotations = Readonly<Record<string, string>>;

/** The kubelet's mark of a pod that it runs from a file. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';
/** Before the name of a container. */
export const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
/** For the pod. */
export const seccompAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
/** Before the name of a container. */
export const seccompPrefix = 'container.seccomp.security.alpha.kubernetes.io/';
const localPrefix = 'localhost/';
const seccompDefaults = ['runtime/default', 'docker/default'];

function mirrorErrors(annotations: Annotations, spec: JsonObject, path: string): FieldError[] {
  const mark = annotations[mirrorAnnotation];
  if (mark === undefined || textAt(spec, 'nodeName') !== '') return [];
  const text = 'must set spec.nodeName if mirror pod annotation is set';
  return [invalidField(`${path}[${mirrorAnnotation}]`, mark, text)];
}

function costErrors(annotations: Annotations, path: string): FieldError[] {
  const cost = annotations[deletionCost];
  if (cost === undefined) return [];
  const isInteger = /^(0|-?[1-9]\d{0,9})$/.test(cost) && (Number(cost) | 0) === Number(cost);
  return isInteger ? [] : [invalidField(`${path}[${deletionCost}]`, cost, 'must be a 32bit integer')];
}

function seccompErrors(profile: string, field: string): FieldError[] {
  if (seccompDefaults.includes(profile) || profile === 'unconfined') return [];
  if (profile.startsWith(localPrefix)) return descendingPathErrors(field, profile.slice(localPrefix.length));
  return [invalidField(field, profile, 'must be a valid seccomp profile')];
}

function appArmorErrors(
  key: string,
  profile: string,
  place: { readonly path: string; readonly names: readonly string[] },
): FieldError[] {
  const field = `${place.path}[${key}]`;
  const name = key.slice(appArmorPrefix.length);
  const errors = place.names.includes(name) ? [] : [invalidField(field, name, 'container not found')];
  const isKnown = ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith(localPrefix);
  if (!isKnown) errors.push(invalidField(field, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`));
  return errors;
}

/** Errors of annotations that speak of the pod. */
export function podAnnotationErrors(annotations: Annotations, spec: JsonObject, path: string): FieldError[] {
  const entries = Object.entries(annotations);
  if (entries.length === 0) return [];
  const names = containersWithPaths(spec, '').map(([container]) => textAt(container, 'name'));
  const ofPod = annotations[seccompAnnotation];
  return [
    ...mirrorErrors(annotations, spec, path),
    ...costErrors(annotations, path),
    ...(ofPod === undefined ? [] : seccompErrors(ofPod, `${path}.${seccompAnnotation}`)),
    ...entries
      .filter(([key]) => key.startsWith(seccompPrefix))
      .flatMap(([key, profile]) => seccompErrors(profile, `${path}.${key}`)),
    ...entries
      .filter(([key]) => key.startsWith(appArmorPrefix))
      .flatMap(([key, profile]) => appArmorErrors(key, profile, { path, names })),
  ];
}

interface Agreement {
  readonly annotation: string | undefined;
  readonly profile: JsonObject | undefined;
  readonly word: string;
  readonly defaults: readonly string[];
}

/** A profile that stands in an annotation and in a field must be the same. */
function agreementErrors({ annotation, profile, word, defaults }: Agreement, path: string): FieldError[] {
  if (annotation === undefined || profile === undefined) return [];
  const wrongType = [forbiddenField(`${path}.type`, `${word} type in annotation and field must match`)];
  switch (textAt(profile, 'type')) {
    case 'Unconfined':
      return annotation === 'unconfined' ? [] : wrongType;
    case 'RuntimeDefault':
      return defaults.includes(annotation) ? [] : wrongType;
    case 'Localhost': {
      if (!annotation.startsWith(localPrefix)) return wrongType;
      const isSame = annotation.slice(localPrefix.length) === textAt(profile, 'localhostProfile');
      return isSame
        ? []
        : [forbiddenField(`${path}.localhostProfile`, `${word} profile in annotation and field must match`)];
    }
    default:
      return [];
  }
}

function seccompAgreementErrors(annotations: Annotations, spec: JsonObject, path: string): FieldError[] {
  const place = (parent: JsonObject, key: string, at: string): FieldError[] =>
    agreementErrors(
      {
        annotation: annotations[key],
        profile: objectAt(parent, 'securityContext', 'seccompProfile'),
        word: 'seccomp',
        defaults: seccompDefaults,
      },
      `${at}.securityContext.seccompProfile`,
    );
  return [
    ...place(spec, seccompAnnotation, path),
    ...containersWithPaths(spec, path).flatMap(([container, at]) =>
      place(container, `${seccompPrefix}${textAt(container, 'name')}`, at),
    ),
  ];
}

function appArmorAgreementErrors(annotations: Annotations, spec: JsonObject, path: string): FieldError[] {
  if (textAt(objectAt(spec, 'os'), 'name') === 'windows') return [];
  const ofPod = objectAt(spec, 'securityContext', 'appArmorProfile');
  return containersWithPaths(spec, path).flatMap(([container, at]) =>
    agreementErrors(
      {
        annotation: annotations[`${appArmorPrefix}${textAt(container, 'name')}`],
        profile: objectAt(container, 'securityContext', 'appArmorProfile') ?? ofPod,
        word: 'apparmor',
        defaults: ['runtime/default'],
      },
      `${at}.securityContext.appArmorProfile`,
    ),
  );
}

/** Errors of profiles that annotations and fields name differently. */
export function profileAgreementErrors(annotations: Annotations, spec: JsonObject, path: string): FieldError[] {
  if (Object.keys(annotations).length === 0) return [];
  return [...seccompAgreementErrors(annotations, spec, path), ...appArmorAgreementErrors(annotations, spec, path)];
}
