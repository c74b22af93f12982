import { formatTimestamp, objectAt, objectsAt } from '../../../src/base/index.ts';
import { asJson, ensureObject, type KubeObject } from '../../core/index.ts';
import { withCondition } from './crd-status.ts';

/** Holds a definition until its objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

const stages = {
  InstanceDeletionPending: [
    'True',
    'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  ],
  InstanceDeletionInProgress: ['True', 'CustomResource deletion is in progress'],
  InstanceDeletionCompleted: ['False', 'removed all instances'],
  NeverEstablished: ['False', 'resource was never established'],
} as const;

/** How far the end of a definition has come: the reasons of its condition Terminating. */
export type EndStage = keyof typeof stages;

/** Sets the condition Terminating. Changes `crd`. */
export function setEndStage(crd: KubeObject, reason: EndStage, nowMs: number): void {
  const [status, message] = stages[reason];
  const before = objectsAt(objectAt(asJson(crd), 'status'), 'conditions');
  const condition = { type: 'Terminating', status, reason, message };
  ensureObject(asJson(crd), 'status')['conditions'] = withCondition(before, condition, formatTimestamp(nowMs));
}

/** Whether a definition's condition Terminating is at a stage. */
export function isAtEndStage(crd: KubeObject, reason: EndStage): boolean {
  const conditions = objectsAt(objectAt(asJson(crd), 'status'), 'conditions');
  return conditions.some((condition) => condition['type'] === 'Terminating' && condition['reason'] === reason);
}

/** What a first DELETE makes of a definition: it stays until its objects are deleted, whatever the request specifies for dependents. Changes `crd`. */
export function markDefinition(crd: KubeObject, nowMs: number): KubeObject {
  const { metadata } = crd;
  metadata.deletionTimestamp = formatTimestamp(nowMs);
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), cleanupFinalizer])];
  setEndStage(crd, 'InstanceDeletionPending', nowMs);
  return crd;
}
