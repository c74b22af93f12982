import { objectAt } from '../../../src/base/index.ts';
import type { FieldError } from '../../../src/schema/index.ts';
import { asJson, type KindRules, type KubeObject } from '../../core/index.ts';
import { templateErrors } from './pod/template.ts';
import { podWarnings } from './pod/warnings.ts';
import { defaultTemplate } from './pod-defaults.ts';

function validate(object: KubeObject): FieldError[] {
  return templateErrors(objectAt(asJson(object), 'template'), 'template');
}

/** Rules of PodTemplates. */
export const podTemplateRules: KindRules = {
  applyDefaults: (object) => defaultTemplate(asJson(object)),
  validate,
  warnings: (object) => podWarnings(objectAt(asJson(object), 'template'), 'template.'),
  generationOf: ['template'],
};
