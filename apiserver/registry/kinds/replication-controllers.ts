import { type JsonObject, objectAt } from '../../../src/base/index.ts';
import { type FieldError, requiredField } from '../../../src/schema/index.ts';
import { type KindRules, type KubeObject, setDefaults, specOf, textsAt } from '../../core/index.ts';
import { notNegative } from './checks.ts';
import { lastingErrors, mismatchErrors, templateErrors } from './pod/template.ts';
import { defaultTemplate } from './pod-defaults.ts';
import { replicaStatusRule, replicasField } from './replica-sets.ts';
import { beginsWith, readSpec, templateWarnings } from './workload-rules.ts';

/** The labels and the selector that are left out come from the template. */
function applyDefaults(object: KubeObject): void {
  const spec = specOf(object);
  const labels = textsAt(spec, 'template', 'metadata', 'labels');
  if (Object.keys(labels).length > 0) {
    if (Object.keys(textsAt(spec, 'selector')).length === 0) spec['selector'] = { ...labels };
    if (Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = { ...labels };
  }
  setDefaults(spec, { replicas: 1 });
  if (objectAt(spec, 'template') !== undefined) defaultTemplate(spec);
}

function ownTemplateErrors(spec: JsonObject): FieldError[] {
  const template = objectAt(spec, 'template');
  const path = 'spec.template';
  if (template === undefined) return [requiredField(path)];
  const selector = textsAt(spec, 'selector');
  const isEmpty = Object.keys(selector).length === 0;
  return [
    ...(isEmpty ? [] : mismatchErrors({ matchLabels: selector }, template, path)),
    ...templateErrors(template, path),
    ...lastingErrors(template, path, 'ReplicationController'),
  ];
}

function validate(object: KubeObject): FieldError[] {
  const spec = readSpec(object);
  const isEmpty = Object.keys(textsAt(spec, 'selector')).length === 0;
  return [
    ...notNegative(spec, 'spec', ['minReadySeconds']),
    ...(isEmpty ? [requiredField('spec.selector')] : []),
    ...notNegative(spec, 'spec', ['replicas']),
    ...ownTemplateErrors(spec),
  ];
}

/** Rules of ReplicationControllers. An update is validated twice, as kube-apiserver does: its causes have everything twice. */
export const replicationControllerRules: KindRules = {
  applyDefaults,
  validate,
  validateUpdate: validate,
  validateStatus: replicaStatusRule,
  warnings: (object, old) => templateWarnings(object, old, { warnsOfName: true, parts: ['spec'] }),
  prepareForCreate: beginsWith({ replicas: 0 }),
  generationOf: ['spec'],
  defaultPropagation: 'Orphan',
  selectableFields: { 'status.replicas': replicasField },
};
