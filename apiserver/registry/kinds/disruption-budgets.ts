import { type JsonObject, objectAt, valueAt } from '../../../src/base/index.ts';
import { type FieldError, type GoValue, goLiteral, goPointer, invalidField } from '../../../src/schema/index.ts';
import { asJson, type KindRules, type KubeObject } from '../../core/index.ts';
import { choice, notNegative } from './checks.ts';
import { selectorErrors } from './selectors.ts';
import { shareFormErrors, shareLimitErrors } from './shares.ts';
import { beginsWith, readSpec } from './workload-rules.ts';

const shownFields = [
  ['minAvailable', 'MinAvailable', 'intstr.IntOrString'],
  ['selector', 'Selector', 'v1.LabelSelector'],
  ['maxUnavailable', 'MaxUnavailable', 'intstr.IntOrString'],
  ['unhealthyPodEvictionPolicy', 'UnhealthyPodEvictionPolicy', 'policy.UnhealthyPodEvictionPolicyType'],
] as const;

function shownSpec(spec: JsonObject): GoValue {
  const fields = shownFields.map(([key, name, type]) => `${name}:${goPointer(type, valueAt(spec, key) !== undefined)}`);
  return goLiteral(`policy.PodDisruptionBudgetSpec{${fields.join(', ')}}`);
}

function validate(object: KubeObject): FieldError[] {
  const spec = readSpec(object);
  const given = ['minAvailable', 'maxUnavailable'].filter((key) => valueAt(spec, key) !== undefined);
  const text = 'minAvailable and maxUnavailable cannot be both set';
  return [
    ...(given.length > 1 ? [invalidField('spec', shownSpec(spec), text)] : []),
    ...given.flatMap((key) => [...shareFormErrors(spec, 'spec', key), ...shareLimitErrors(spec, 'spec', key)]),
    ...selectorErrors(objectAt(spec, 'selector'), 'spec.selector'),
    ...choice('spec.unhealthyPodEvictionPolicy', valueAt(spec, 'unhealthyPodEvictionPolicy'), [
      'AlwaysAllow',
      'IfHealthyBudget',
    ]),
  ];
}

const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

/** Rules of PodDisruptionBudgets. */
export const disruptionBudgetRules: KindRules = {
  validate,
  validateStatus: (object) => notNegative(objectAt(asJson(object), 'status'), 'status', counts),
  prepareForCreate: beginsWith({ currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 }),
  generationOf: ['spec'],
};
