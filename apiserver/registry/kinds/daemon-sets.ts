import { isJsonEqual, type JsonObject, objectAt, textAt, valueAt } from '../../../src/base/index.ts';
import {
  type FieldError,
  goIntOrString,
  goLabelSelector,
  goLiteral,
  goPointer,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { ensureObject, type KindRules, type KubeObject, setDefaults, specOf } from '../../core/index.ts';
import { notNegative } from './checks.ts';
import { lastingErrors, mismatchErrors, templateErrors } from './pod/template.ts';
import { defaultTemplate } from './pod-defaults.ts';
import { isEmptySelector, isUsableSelector, selectorErrors } from './selectors.ts';
import { shareAmount, shareFormErrors, shareLimitErrors } from './shares.ts';
import { beginsWith, fixedSelectorErrors, readSpec, templateWarnings } from './workload-rules.ts';
import { statusRule } from './workload-status.ts';

const generationAnnotation = 'deprecated.daemonset.template.generation';

function applyDefaults(object: KubeObject): void {
  const spec = specOf(object);
  setDefaults(spec, { revisionHistoryLimit: 10 });
  const strategy = ensureObject(spec, 'updateStrategy');
  setDefaults(strategy, { type: 'RollingUpdate' });
  if (strategy['type'] === 'RollingUpdate') {
    setDefaults(ensureObject(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
  }
  defaultTemplate(spec);
}

function rollingErrors(rolling: JsonObject, path: string): FieldError[] {
  const surge = valueAt(rolling, 'maxSurge');
  const [removes, adds] = [shareAmount(valueAt(rolling, 'maxUnavailable')) !== 0, shareAmount(surge) !== 0];
  const errors = [
    ...shareFormErrors(rolling, path, 'maxUnavailable'),
    ...shareFormErrors(rolling, path, 'maxSurge'),
    ...shareLimitErrors(rolling, path, 'maxUnavailable'),
    ...shareLimitErrors(rolling, path, 'maxSurge'),
  ];
  if (removes && adds) {
    const text = 'may not be set when maxUnavailable is non-zero';
    errors.push(invalidField(`${path}.maxSurge`, goIntOrString(surge), text));
  }
  if (!removes && !adds) {
    errors.push(requiredField(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}

function strategyErrors(spec: JsonObject): FieldError[] {
  const strategy = objectAt(spec, 'updateStrategy');
  const [type, rolling] = [textAt(strategy, 'type'), objectAt(strategy, 'rollingUpdate')];
  const path = 'spec.updateStrategy';
  if (type === 'OnDelete') return [];
  if (type === 'RollingUpdate') {
    const field = `${path}.rollingUpdate`;
    return rolling === undefined ? [requiredField(field)] : rollingErrors(rolling, field);
  }
  const pointer = goPointer('apps.RollingUpdateDaemonSet', rolling !== undefined);
  const shown = goLiteral(`apps.DaemonSetUpdateStrategy{Type:${JSON.stringify(type)}, RollingUpdate:${pointer}}`);
  return [unsupportedField(path, shown, ['RollingUpdate', 'OnDelete'])];
}

function ownSelectorErrors(spec: JsonObject): FieldError[] {
  const selector = objectAt(spec, 'selector');
  const isUsable = isUsableSelector(selector);
  const isEmpty = selector !== undefined && isEmptySelector(selector);
  const text = 'empty selector is invalid for daemonset';
  return [
    ...selectorErrors(selector, 'spec.selector'),
    ...(isUsable ? mismatchErrors(selector, objectAt(spec, 'template'), 'spec.template') : []),
    ...(isEmpty ? [invalidField('spec.selector', goLabelSelector(selector), text)] : []),
  ];
}

function validate(object: KubeObject): FieldError[] {
  const spec = readSpec(object);
  const template = objectAt(spec, 'template');
  return [
    ...ownSelectorErrors(spec),
    ...templateErrors(template, 'spec.template'),
    ...lastingErrors(template, 'spec.template', 'DaemonSet'),
    ...notNegative(spec, 'spec', ['minReadySeconds']),
    ...strategyErrors(spec),
    ...notNegative(spec, 'spec', ['revisionHistoryLimit']),
  ];
}

const none = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };

function prepareForCreate(object: KubeObject): void {
  const given = Number(object.metadata.annotations?.[generationAnnotation] ?? '');
  const generation = Number.isInteger(given) && given >= 1 ? given : 1;
  object.metadata.annotations = { ...object.metadata.annotations, [generationAnnotation]: String(generation) };
  beginsWith(none)(object);
}

/** The generation of the template stands in an annotation, for readers of a version that had a field for it. */
function prepareForUpdate(object: KubeObject, old: KubeObject): void {
  const before = Number(old.metadata.annotations?.[generationAnnotation] ?? '0') || 0;
  const [now, then] = [readSpec(object), readSpec(old)].map((spec) => valueAt(spec, 'template') ?? null);
  const generation = isJsonEqual(now ?? null, then ?? null) ? before : before + 1;
  object.metadata.annotations = { ...object.metadata.annotations, [generationAnnotation]: String(generation) };
}

/** Rules of DaemonSets. An update is validated twice, as kube-apiserver does: its causes have everything twice. */
export const daemonSetRules: KindRules = {
  applyDefaults,
  validate,
  validateUpdate: (object, old) => [...validate(object), ...fixedSelectorErrors(object, old)],
  validateStatus: statusRule({
    counts: [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ],
    parts: [],
    countsCollisions: true,
  }),
  warnings: (object, old) => templateWarnings(object, old, { warnsOfName: false, parts: ['spec.template'] }),
  prepareForCreate,
  prepareForUpdate,
  generationOf: ['spec'],
};
