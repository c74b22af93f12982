import { type JsonObject, listAt, objectAt, objectsAt, textAt, valueAt } from '../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  type FieldError,
  forbiddenField,
  invalidField,
  pathSegmentProblems,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { asJson, countAt, type KindRules, type KubeObject, numberAt, specOf } from '../../core/index.ts';
import { goQuantity, invalidPrinted } from '../../schema/index.ts';
import { autoscalerToStorage } from './autoscaler-conversion.ts';
import { choice, eachErrors, forbiddenWhen, invalids, negativeErrors } from './checks.ts';

/** HorizontalPodAutoscalers, in the form in which they are stored. @see docs/spec/kube-api-types.md#validation-rules */

const cpuMetric: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};
const scaleUp: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const scaleDown: JsonObject = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

function defaultAutoscaler(object: KubeObject): void {
  const spec = specOf(object);
  if (valueAt(spec, 'minReplicas') === undefined) spec['minReplicas'] = 1;
  if (listAt(spec, 'metrics').length === 0) spec['metrics'] = [structuredClone(cpuMetric)];
  const behavior = objectAt(spec, 'behavior');
  if (behavior === undefined) return;
  for (const [key, defaults] of Object.entries({ scaleUp, scaleDown })) {
    behavior[key] = { ...structuredClone(defaults), ...objectAt(behavior, key) };
  }
}

/** Feature of later servers. */
function dropTolerance(object: KubeObject): void {
  const behavior = objectAt(specOf(object), 'behavior');
  for (const key of ['scaleUp', 'scaleDown']) {
    const rules = objectAt(behavior, key);
    if (rules !== undefined) delete rules['tolerance'];
  }
}

function referenceErrors(reference: JsonObject | undefined, field: string): FieldError[] {
  return ['kind', 'name'].flatMap((key) => {
    const text = textAt(reference, key);
    if (text === '') return [requiredField(`${field}.${key}`)];
    return invalids(`${field}.${key}`, text, pathSegmentProblems(text));
  });
}

function metricNameErrors(metric: JsonObject | undefined, field: string): FieldError[] {
  const name = textAt(metric, 'name');
  if (name === '') return [requiredField(`${field}.name`, 'must specify a metric name')];
  return invalids(`${field}.name`, name, pathSegmentProblems(name));
}

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function amountErrors(target: JsonObject | undefined, key: string, field: string): FieldError[] {
  const value = textAt(target, key);
  if (value === '' || (/[1-9]/.test(value) && !value.startsWith('-'))) return [];
  return [invalidPrinted(`${field}.${key}`, goQuantity(value), 'must be positive')];
}

function targetErrors(target: JsonObject | undefined, field: string): FieldError[] {
  const type = textAt(target, 'type');
  const errors = type === '' ? [requiredField(`${field}.type`, 'must specify a metric target type')] : [];
  if (!targetTypes.includes(type)) {
    errors.push(invalidField(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  errors.push(...amountErrors(target, 'value', field), ...amountErrors(target, 'averageValue', field));
  const utilization = numberAt(target, 'averageUtilization');
  if (utilization !== undefined && utilization < 1) {
    errors.push(invalidField(`${field}.averageUtilization`, utilization, 'must be greater than 0'));
  }
  return errors;
}

type SourceCheck = (source: JsonObject, field: string) => FieldError[];

function has(target: JsonObject | undefined, key: string): boolean {
  return valueAt(target, key) !== undefined;
}

/** The target for a resource: an amount for each pod, or a percentage of the request. */
function usageErrors(source: JsonObject, field: string): FieldError[] {
  const [target, path] = [objectAt(source, 'target'), `${field}.target`];
  const [isPart, isAmount] = [has(target, 'averageUtilization'), has(target, 'averageValue')];
  const errors = targetErrors(target, path);
  if (!isPart && !isAmount) {
    const why = 'must set either a target raw value or a target utilization';
    errors.push(requiredField(`${path}.averageUtilization`, why));
  }
  const isBoth = isPart && isAmount;
  const why = 'may not set both a target raw value and a target utilization';
  return [...errors, ...forbiddenWhen(isBoth, `${path}.averageValue`, why)];
}

function resourceNameErrors(source: JsonObject, field: string): FieldError[] {
  return textAt(source, 'name') === '' ? [requiredField(`${field}.name`, 'must specify a resource name')] : [];
}

function containerErrors(source: JsonObject, field: string): FieldError[] {
  const container = textAt(source, 'container');
  if (container === '') return [requiredField(`${field}.container`, 'must specify a container')];
  return invalids(`${field}.container`, container, dns1123LabelProblems(container));
}

function describedErrors(source: JsonObject, field: string): FieldError[] {
  const target = objectAt(source, 'target');
  const errors = [
    ...referenceErrors(objectAt(source, 'describedObject'), `${field}.describedObject`),
    ...metricNameErrors(objectAt(source, 'metric'), `${field}.metric`),
    ...targetErrors(target, `${field}.target`),
  ];
  if (has(target, 'value') || has(target, 'averageValue')) return errors;
  return [...errors, requiredField(`${field}.target.averageValue`, 'must set either a target value or averageValue')];
}

function externalErrors(source: JsonObject, field: string): FieldError[] {
  const target = objectAt(source, 'target');
  const errors = [
    ...metricNameErrors(objectAt(source, 'metric'), `${field}.metric`),
    ...targetErrors(target, `${field}.target`),
  ];
  const [isTotal, isEach] = [has(target, 'value'), has(target, 'averageValue')];
  if (!isTotal && !isEach) {
    const why = 'must set either a target value for metric or a per-pod target';
    errors.push(requiredField(`${field}.target.averageValue`, why));
  }
  const why = 'may not set both a target value for metric and a per-pod target';
  return [...errors, ...forbiddenWhen(isTotal && isEach, `${field}.target.value`, why)];
}

function podsErrors(source: JsonObject, field: string): FieldError[] {
  const target = objectAt(source, 'target');
  const errors = [
    ...metricNameErrors(objectAt(source, 'metric'), `${field}.metric`),
    ...targetErrors(target, `${field}.target`),
  ];
  if (has(target, 'averageValue')) return errors;
  return [...errors, requiredField(`${field}.target.averageValue`, 'must specify a positive target averageValue')];
}

/** In the order of validation: the first one that is set. */
const sources: Readonly<Record<string, SourceCheck>> = {
  object: describedErrors,
  external: externalErrors,
  pods: podsErrors,
  resource: (source, field) => [...resourceNameErrors(source, field), ...usageErrors(source, field)],
  containerResource: (source, field) => [
    ...resourceNameErrors(source, field),
    ...containerErrors(source, field),
    ...usageErrors(source, field),
  ],
};
const fieldsOfTypes: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

/** Sources beside the one that the type asks for. */
function extraSourceErrors(present: readonly string[], expected: string | undefined, field: string): FieldError[] {
  const extra = present.length === 1 ? [] : present.filter((key) => key !== expected);
  const why = 'must populate the given metric source only';
  return extra.map((key) => forbiddenField(`${field}.${key}`, why));
}

function metricErrors(metric: JsonObject, field: string): FieldError[] {
  const type = textAt(metric, 'type');
  const expected = Object.hasOwn(fieldsOfTypes, type) ? fieldsOfTypes[type] : undefined;
  const unknown = expected === undefined ? [unsupportedField(`${field}.type`, type, Object.keys(fieldsOfTypes))] : [];
  const errors = type === '' ? [requiredField(`${field}.type`, 'must specify a metric source type')] : [];
  errors.push(...unknown);
  const present = Object.keys(sources).filter((key) => objectAt(metric, key) !== undefined);
  for (const first of present.slice(0, 1)) {
    errors.push(...(sources[first]?.(objectAt(metric, first) ?? {}, `${field}.${first}`) ?? []));
  }
  if (expected !== undefined && !present.includes(expected)) {
    errors.push(requiredField(`${field}.${expected}`, 'must populate information for the given metric source'));
  }
  return [...errors, ...unknown, ...extraSourceErrors(present, expected, field)];
}

function metricsErrors(spec: JsonObject): FieldError[] {
  const metrics = objectsAt(spec, 'metrics');
  const errors = eachErrors(metrics, 'spec.metrics', metricErrors);
  const isFed = metrics.some((metric) => ['Object', 'External'].includes(textAt(metric, 'type')));
  const isIdle = valueAt(spec, 'minReplicas') === 0 && !isFed;
  const why = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [...errors, ...forbiddenWhen(isIdle, 'spec.metrics', why)];
}

function policyErrors(policy: JsonObject, field: string): FieldError[] {
  const errors = choice(`${field}.type`, textAt(policy, 'type'), ['Percent', 'Pods']);
  for (const key of ['value', 'periodSeconds']) {
    const value = countAt(policy, key);
    if (value <= 0) errors.push(invalidField(`${field}.${key}`, value, 'must be greater than zero'));
  }
  const period = countAt(policy, 'periodSeconds');
  if (period <= 1800) return errors;
  return [...errors, invalidField(`${field}.periodSeconds`, period, 'must be less than or equal to 1800')];
}

function scalingErrors(rules: JsonObject | undefined, field: string): FieldError[] {
  if (rules === undefined) return [];
  const [path, window] = [`${field}.stabilizationWindowSeconds`, countAt(rules, 'stabilizationWindowSeconds')];
  const errors = window < 0 ? [invalidField(path, window, 'must be greater than or equal to zero')] : [];
  if (window > 3600) errors.push(invalidField(path, window, 'must be less than or equal to 3600'));
  errors.push(...choice(`${field}.selectPolicy`, valueAt(rules, 'selectPolicy'), ['Disabled', 'Max', 'Min']));
  const policies = objectsAt(rules, 'policies');
  if (policies.length === 0) errors.push(requiredField(`${field}.policies`, 'must specify at least one Policy'));
  return [...errors, ...eachErrors(policies, `${field}.policies`, policyErrors)];
}

function countErrors(spec: JsonObject, least: number): FieldError[] {
  const [min, max] = [numberAt(spec, 'minReplicas'), countAt(spec, 'maxReplicas')];
  const errors: FieldError[] = [];
  if (min !== undefined && min < least) {
    errors.push(invalidField('spec.minReplicas', min, `must be greater than or equal to ${least}`));
  }
  if (max < 1) errors.push(invalidField('spec.maxReplicas', max, 'must be greater than 0'));
  if (min !== undefined && max < min) {
    errors.push(invalidField('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'));
  }
  return errors;
}

/** One that was scaled to zero before may stay so. */
function autoscalerErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = specOf(object);
  const least = old !== undefined && valueAt(specOf(old), 'minReplicas') === 0 ? 0 : 1;
  const behavior = objectAt(spec, 'behavior');
  return [
    ...countErrors(spec, least),
    ...referenceErrors(objectAt(spec, 'scaleTargetRef'), 'spec.scaleTargetRef'),
    ...metricsErrors(spec),
    ...scalingErrors(objectAt(behavior, 'scaleUp'), 'spec.behavior.scaleUp'),
    ...scalingErrors(objectAt(behavior, 'scaleDown'), 'spec.behavior.scaleDown'),
  ];
}

function statusErrors(object: KubeObject): FieldError[] {
  const status = objectAt(asJson(object), 'status');
  return ['currentReplicas', 'desiredReplicas'].flatMap((key) => negativeErrors(`status.${key}`, valueAt(status, key)));
}

/** Rules of autoscaling/v2. */
export const autoscalerRules: KindRules = {
  applyDefaults: defaultAutoscaler,
  prepareForCreate: (object) => {
    asJson(object)['status'] = { currentMetrics: null, desiredReplicas: 0 };
    dropTolerance(object);
  },
  prepareForUpdate: dropTolerance,
  validate: (object) => autoscalerErrors(object, undefined),
  validateChange: autoscalerErrors,
  validateStatus: statusErrors,
};

/** Rules of autoscaling/v1: validates the form that would be stored. */
export const autoscalerV1Rules: KindRules = {
  applyDefaults: (object) => {
    const spec = specOf(object);
    if (valueAt(spec, 'minReplicas') === undefined) spec['minReplicas'] = 1;
  },
  prepareForCreate: (object) => {
    asJson(object)['status'] = { currentReplicas: 0, desiredReplicas: 0 };
  },
  validate: (object) => autoscalerErrors(autoscalerToStorage(object), undefined),
  validateChange: (object, old) => autoscalerErrors(autoscalerToStorage(object), autoscalerToStorage(old)),
  validateStatus: statusErrors,
};
