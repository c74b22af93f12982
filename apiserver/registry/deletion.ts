import { formatTimestamp, isJsonObject, type JsonObject } from '../../src/base/index.ts';
import {
  copyJson,
  groupKind,
  type KubeObject,
  type ObjectMeta,
  type ResourceType,
  StatusError,
} from '../core/index.ts';
import { markDefinition } from './crd/index.ts';

/** What a DELETE asks for. */
export interface DeletionOptions {
  readonly propagationPolicy?: string | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

function specFinalizers(object: KubeObject): number {
  const spec = object['spec'];
  const finalizers = object.kind === 'Namespace' && isJsonObject(spec) ? spec['finalizers'] : undefined;
  return Array.isArray(finalizers) ? finalizers.length : 0;
}

/** Whether something keeps a deleted object: finalizers, or grace that has not been ended. */
export function isHeld(object: KubeObject): boolean {
  const { finalizers, deletionGracePeriodSeconds } = object.metadata;
  return (finalizers ?? []).length > 0 || specFinalizers(object) > 0 || (deletionGracePeriodSeconds ?? 0) > 0;
}

/** @throws StatusError 409 when uid or resourceVersion are not what the request expects */
export function checkPreconditions(type: ResourceType, object: KubeObject, options: DeletionOptions): void {
  const { uid, resourceVersion, name = '' } = object.metadata;
  const fail = (why: string): StatusError =>
    new StatusError({
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ${groupKind(type)} "${name}": ${why}`,
      details: { name, ...(type.group === '' ? {} : { group: type.group }), kind: type.kind },
    });
  if (options.uid !== undefined && options.uid !== uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid})`;
    throw fail(`${why}. The object might have been deleted and then recreated`);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion})`;
    throw fail(`${why}. The object might have been modified`);
  }
}

function wantsFinalizer(type: ResourceType, options: DeletionOptions, present: readonly string[]): string | undefined {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'orphan' : undefined;
  if (options.propagationPolicy === 'Orphan') return 'orphan';
  if (options.propagationPolicy === 'Foreground') return 'foregroundDeletion';
  if (options.propagationPolicy === 'Background') return undefined;
  const kept = present.find((name) => name === 'orphan' || name === 'foregroundDeletion');
  return kept ?? (type.strategy.defaultPropagation === 'Orphan' ? 'orphan' : undefined);
}

function finalizersFor(type: ResourceType, object: KubeObject, options: DeletionOptions): string[] {
  const present = object.metadata.finalizers ?? [];
  const desired = wantsFinalizer(type, options, present);
  const isGc = (name: string): boolean => name === 'orphan' || name === 'foregroundDeletion';
  const kept = present.filter((name) => !isGc(name) || name === desired);
  return desired === undefined || kept.includes(desired) ? kept : [...kept, desired];
}

function isCrd(type: ResourceType): boolean {
  return type.storageKey === 'customresourcedefinitions.apiextensions.k8s.io';
}

/** What a DELETE makes of an object. */
export interface Marked {
  /** The object given when nothing about it changes. */
  readonly object: KubeObject;
  /** Whether something keeps it. */
  readonly isHeld: boolean;
}

interface DeletionRequest {
  readonly options: DeletionOptions;
  readonly nowMs: number;
}

/** Seconds of grace; undefined for kinds that go at once, and where grace that runs already is not shortened. */
function graceOf(type: ResourceType, object: KubeObject, requested: number | undefined): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds: running } = object.metadata;
  if (deletionTimestamp === undefined) return type.strategy.graceSeconds(object, requested);
  if (requested === undefined || running === undefined) return undefined;
  const asked = requested < 0 ? 1 : requested;
  return asked < running ? asked : undefined;
}

function isStarted(metadata: ObjectMeta): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Sets when the object ends, counting from when its deletion began. */
function startGrace(marked: KubeObject, seconds: number, nowMs: number): void {
  const { metadata } = marked;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  const beganMs =
    deletionTimestamp === undefined ? nowMs : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  metadata.deletionTimestamp = formatTimestamp(beganMs + seconds * 1000);
  metadata.deletionGracePeriodSeconds = seconds;
}

/** The object as a DELETE leaves it. */
export function markForDeletion(type: ResourceType, object: KubeObject, request: DeletionRequest): Marked {
  const { options, nowMs } = request;
  const marked = copyJson(object);
  const { metadata } = marked;
  if (isCrd(type) && !isStarted(metadata)) return { object: markDefinition(marked, nowMs), isHeld: true };
  const finalizers = finalizersFor(type, object, options);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  const isFirst = !isStarted(object.metadata);
  const grace = graceOf(type, object, options.gracePeriodSeconds);
  if (grace !== undefined) startGrace(marked, grace, nowMs);
  if (!isHeld(marked))
    return { object: grace === undefined ? object : withNextGeneration(marked, isFirst), isHeld: false };
  if (grace === undefined && isFirst) startGrace(marked, 0, nowMs);
  if (marked.kind === 'Namespace') marked['status'] = { ...(marked['status'] as JsonObject), phase: 'Terminating' };
  return { object: withNextGeneration(marked, isFirst), isHeld: true };
}

function withNextGeneration(marked: KubeObject, isFirst: boolean): KubeObject {
  const { metadata } = marked;
  if (isFirst && metadata.generation !== undefined && metadata.generation > 0) metadata.generation += 1;
  return marked;
}
