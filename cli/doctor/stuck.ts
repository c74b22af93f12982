import { clusterExtensionResource, group } from '../../src/api/index.ts';
import { groupOf, type KubeObject } from '../../src/kube/index.ts';
import { objectsAt, textAt } from './fields.ts';
import { type Finding, fail, spokenAge } from './finding.ts';

/** What is stuck depends on the time. */
export interface Times {
  readonly nowMs: number;
  readonly stuckMs: number;
}

/** A condition as doctor reads it, whatever is missing of it. */
export interface ReadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly sinceMs: number;
}

const logs = 'check that longshore controllers runs, and its logs';

/** The conditions of any object. */
export function conditionsOf(object: KubeObject): readonly ReadCondition[] {
  return objectsAt(object, 'status', 'conditions').map((condition) => ({
    type: textAt(condition, 'type'),
    status: textAt(condition, 'status'),
    reason: textAt(condition, 'reason'),
    message: textAt(condition, 'message'),
    sinceMs: Date.parse(textAt(condition, 'lastTransitionTime')),
  }));
}

/** How an object is called in findings. */
export function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name}`;
}

const ownDomains = [group, groupOf(clusterExtensionResource.apiVersion)];

/** Finalizers of others have a domain of theirs; those without one are the API server's. */
function isForeign(finalizer: string): boolean {
  return finalizer.includes('/') && !ownDomains.some((domain) => finalizer.startsWith(`${domain}/`));
}

function heldAdvice({ kind, metadata: { name } }: KubeObject, finalizers: readonly string[]): string {
  const foreign = finalizers.filter(isForeign);
  if (foreign.length === 0) return logs;
  const command = `kubectl edit ${kind.toLowerCase()} ${name}`;
  return `check that the owner of ${foreign.join(', ')} runs and removes it; if it no longer exists, remove it from metadata.finalizers: ${command}`;
}

/** Conditions that report a removal, the most specific first. */
const removalTypes = ['Removing', 'Progressing'];

/** Being deleted, and held by a finalizer. */
export function heldFinding(object: KubeObject, { nowMs, stuckMs }: Times): Finding | undefined {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const agoMs = nowMs - Date.parse(deletionTimestamp);
  if (agoMs < stuckMs) return undefined;
  const conditions = conditionsOf(object);
  const removing = removalTypes.map((name) => conditions.find(({ type }) => type === name));
  const reported = removing.find((one) => one !== undefined)?.message ?? '';
  const text = `${nameOf(object)}: deleted ${spokenAge(agoMs)} ago, held by ${finalizers.join(', ') || 'the server'}`;
  return fail(reported === '' ? text : `${text}: ${reported}`, heldAdvice(object, finalizers));
}

/** It was not reconciled, or not since its last change. */
export function unreconciledFinding(
  object: KubeObject,
  observedGeneration: number | undefined,
  { nowMs, stuckMs }: Times,
): Finding | undefined {
  const { creationTimestamp, generation = 0 } = object.metadata;
  const isOld = nowMs - Date.parse(String(creationTimestamp)) >= stuckMs;
  if (!isOld || observedGeneration === generation) return undefined;
  const text = observedGeneration === undefined ? 'not reconciled yet' : 'its last change is not reconciled yet';
  return fail(`${nameOf(object)}: ${text}`, logs);
}
