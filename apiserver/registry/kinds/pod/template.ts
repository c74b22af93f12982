import { type JsonObject, objectAt, objectsAt, textAt } from '../../../../src/base/index.ts';
import {
  type FieldError,
  forbiddenField,
  goTextMap,
  invalidField,
  unsupportedField,
} from '../../../../src/schema/index.ts';
import { annotationErrors, labelErrors, numberAt, textsAt } from '../../../core/index.ts';
import { selects } from '../selectors.ts';
import { podAnnotationErrors, profileAgreementErrors } from './annotations.ts';
import { podSpecErrors } from './spec.ts';

/** Errors of the metadata of a PodTemplateSpec, as far as pods take it over. */
export function templateMetaErrors(template: JsonObject | undefined, path: string): FieldError[] {
  const annotations = textsAt(template, 'metadata', 'annotations');
  return [
    ...labelErrors(textsAt(template, 'metadata', 'labels'), `${path}.labels`),
    ...annotationErrors(annotations, `${path}.annotations`),
    ...podAnnotationErrors(annotations, objectAt(template, 'spec') ?? {}, `${path}.annotations`),
  ];
}

/** Errors of a PodTemplateSpec. */
export function templateErrors(template: JsonObject | undefined, path: string): FieldError[] {
  const spec = objectAt(template, 'spec') ?? {};
  const annotations = textsAt(template, 'metadata', 'annotations');
  const errors = [
    ...templateMetaErrors(template, path),
    ...podSpecErrors(spec, { path: `${path}.spec`, isPod: false, podName: '' }),
    ...profileAgreementErrors(annotations, spec, `${path}.spec`),
  ];
  if (objectsAt(spec, 'ephemeralContainers').length === 0) return errors;
  const text = 'ephemeral containers not allowed in pod template';
  return [...errors, forbiddenField(`${path}.spec.ephemeralContainers`, text)];
}

/** Error of a template whose labels its own selector does not choose. */
export function mismatchErrors(
  selector: JsonObject | undefined,
  template: JsonObject | undefined,
  path: string,
): FieldError[] {
  if (selects(selector, textsAt(template, 'metadata', 'labels'))) return [];
  const shown = goTextMap(objectAt(template, 'metadata', 'labels'));
  return [invalidField(`${path}.metadata.labels`, shown, '`selector` does not match template `labels`')];
}

/** Errors of a template whose pods are to run on: restartPolicy Always, no deadline. `kind` is the workload's. */
export function lastingErrors(template: JsonObject | undefined, path: string, kind: string): FieldError[] {
  const spec = objectAt(template, 'spec');
  const policy = textAt(spec, 'restartPolicy');
  const errors = policy === 'Always' ? [] : [unsupportedField(`${path}.spec.restartPolicy`, policy, ['Always'])];
  if (numberAt(spec, 'activeDeadlineSeconds') === undefined) return errors;
  const text = `activeDeadlineSeconds in ${kind} is not Supported`;
  return [...errors, forbiddenField(`${path}.spec.activeDeadlineSeconds`, text)];
}
