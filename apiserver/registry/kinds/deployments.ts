import { type JsonObject, objectAt, textAt, valueAt } from '../../../src/base/index.ts';
import {
  type FieldError,
  forbiddenField,
  goIntOrString,
  goLiteral,
  goPointer,
  invalidField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { ensureObject, type KindRules, type KubeObject, numberAt, setDefaults, specOf } from '../../core/index.ts';
import { notNegative } from './checks.ts';
import { lastingErrors, mismatchErrors, templateErrors } from './pod/template.ts';
import { defaultTemplate } from './pod-defaults.ts';
import { isEmptySelector } from './selectors.ts';
import { shareAmount, shareFormErrors, shareLimitErrors } from './shares.ts';
import {
  beginsWith,
  fixedSelectorErrors,
  readSpec,
  selectorAndTemplateErrors,
  templateWarnings,
} from './workload-rules.ts';
import { statusRule } from './workload-status.ts';

function applyDefaults(object: KubeObject): void {
  const spec = specOf(object);
  setDefaults(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  const strategy = ensureObject(spec, 'strategy');
  setDefaults(strategy, { type: 'RollingUpdate' });
  if (strategy['type'] === 'RollingUpdate') {
    setDefaults(ensureObject(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
  }
  defaultTemplate(spec);
}

/** Errors of a template in a Deployment or ReplicaSet. */
export function replicaTemplateErrors(spec: JsonObject, selector: JsonObject | undefined): FieldError[] {
  const template = objectAt(spec, 'template');
  const path = 'spec.template';
  const isAll = selector !== undefined && isEmptySelector(selector);
  return [
    ...(isAll ? [] : mismatchErrors(selector, template, path)),
    ...templateErrors(template, path),
    ...lastingErrors(template, path, 'ReplicaSet'),
  ];
}

const types = ['Recreate', 'RollingUpdate'];

function rollingErrors(rolling: JsonObject, path: string): FieldError[] {
  const [unavailable, surge] = [valueAt(rolling, 'maxUnavailable'), valueAt(rolling, 'maxSurge')];
  const isStuck = shareAmount(unavailable) === 0 && shareAmount(surge) === 0;
  const text = 'may not be 0 when `maxSurge` is 0';
  return [
    ...shareFormErrors(rolling, path, 'maxUnavailable'),
    ...shareFormErrors(rolling, path, 'maxSurge'),
    ...(isStuck ? [invalidField(`${path}.maxUnavailable`, goIntOrString(unavailable), text)] : []),
    ...shareLimitErrors(rolling, path, 'maxUnavailable'),
  ];
}

function strategyErrors(spec: JsonObject): FieldError[] {
  const strategy = objectAt(spec, 'strategy');
  const [type, rolling] = [textAt(strategy, 'type'), objectAt(strategy, 'rollingUpdate')];
  const path = 'spec.strategy.rollingUpdate';
  if (type === 'RollingUpdate') return rollingErrors(rolling ?? {}, path);
  if (type !== 'Recreate') {
    const pointer = goPointer('apps.RollingUpdateDeployment', rolling !== undefined);
    const shown = goLiteral(`apps.DeploymentStrategy{Type:${JSON.stringify(type)}, RollingUpdate:${pointer}}`);
    return [unsupportedField('spec.strategy', shown, types)];
  }
  const text = "may not be specified when strategy `type` is 'Recreate'";
  return rolling === undefined ? [] : [forbiddenField(path, text)];
}

function deadlineErrors(spec: JsonObject): FieldError[] {
  const deadline = numberAt(spec, 'progressDeadlineSeconds');
  if (deadline === undefined || deadline > (numberAt(spec, 'minReadySeconds') ?? 0)) return [];
  return [invalidField('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')];
}

/** How Deployments and ReplicaSets speak of their selectors. */
export const replicaWords = { kind: 'deployment', malformed: 'invalid label selector' };

function validate(object: KubeObject): FieldError[] {
  const spec = readSpec(object);
  return [
    ...notNegative(spec, 'spec', ['replicas']),
    ...selectorAndTemplateErrors(spec, replicaWords, (selector) => replicaTemplateErrors(spec, selector)),
    ...strategyErrors(spec),
    ...notNegative(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']),
    ...deadlineErrors(spec),
  ];
}

const generationOf = ['spec', 'metadata.annotations'];
const counts = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas'];

/** Rules of Deployments.
 *  @see docs/spec/kube-api-types.md#defaults-by-kind */
export const deploymentRules: KindRules = {
  applyDefaults,
  validate,
  validateUpdate: fixedSelectorErrors,
  validateStatus: statusRule({
    counts: ['observedGeneration', ...counts, 'terminatingReplicas', 'collisionCount'],
    parts: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    readyWord: 'readyReplicas',
    countsCollisions: true,
  }),
  warnings: (object, old) => templateWarnings(object, old, { warnsOfName: true, parts: generationOf }),
  prepareForCreate: beginsWith({}),
  prepareForStatusUpdate: (object, old) => {
    if (old.metadata.labels === undefined) delete object.metadata.labels;
    else object.metadata.labels = structuredClone(old.metadata.labels);
  },
  generationOf,
};
