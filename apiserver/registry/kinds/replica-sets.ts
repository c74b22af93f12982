import { objectAt } from '../../../src/base/index.ts';
import type { FieldError } from '../../../src/schema/index.ts';
import { asJson, type KindRules, type KubeObject, numberAt, setDefaults, specOf } from '../../core/index.ts';
import { notNegative } from './checks.ts';
import { replicaTemplateErrors, replicaWords } from './deployments.ts';
import { defaultTemplate } from './pod-defaults.ts';
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
  setDefaults(spec, { replicas: 1 });
  defaultTemplate(spec);
}

function validate(object: KubeObject): FieldError[] {
  const spec = readSpec(object);
  return [
    ...notNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...selectorAndTemplateErrors(spec, replicaWords, (selector) => replicaTemplateErrors(spec, selector)),
  ];
}

/** The number in `status.replicas` as field selectors see it. */
export function replicasField(object: KubeObject): string {
  return String(numberAt(objectAt(asJson(object), 'status'), 'replicas') ?? 0);
}

/** Status of ReplicaSets and ReplicationControllers. */
export const replicaStatusRule: (object: KubeObject, old: KubeObject) => FieldError[] = statusRule({
  counts: [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ],
  parts: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  readyWord: 'readyReplicas',
  countsCollisions: false,
});

/** Rules of ReplicaSets. An update is validated twice, as kube-apiserver does: its causes have everything twice. */
export const replicaSetRules: KindRules = {
  applyDefaults,
  validate,
  validateUpdate: (object, old) => [...validate(object), ...fixedSelectorErrors(object, old)],
  validateStatus: replicaStatusRule,
  warnings: (object, old) => templateWarnings(object, old, { warnsOfName: true, parts: ['spec'] }),
  prepareForCreate: beginsWith({ replicas: 0 }),
  generationOf: ['spec'],
};
