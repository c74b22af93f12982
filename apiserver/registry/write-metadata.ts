import { randomUUID } from 'node:crypto';
import { formatTimestamp } from '../../src/base/index.ts';
import { badRequest, type KubeObject, type ResourceType } from '../core/index.ts';
import type { WriteTarget } from './write-context.ts';

function checkName(object: KubeObject, target: WriteTarget): void {
  const { name } = object.metadata;
  if (target.name === '' || name === target.name) return;
  if (name === undefined || name === '') {
    throw badRequest(`the name of the object (${target.name} based on URL) was undeterminable: name must be provided`);
  }
  throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
}

/** Fills the namespace from the URL and checks that name and namespace are the URL's.
 *  @throws StatusError 400 */
export function checkIdentity(object: KubeObject, target: WriteTarget): void {
  object.metadata ??= {};
  const { metadata } = object;
  if (metadata.name === '') delete metadata.name;
  if (metadata.generateName === '') delete metadata.generateName;
  checkName(object, target);
  if (!target.type.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace === undefined || metadata.namespace === '') metadata.namespace = target.namespace;
  if (metadata.namespace !== target.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** Removes from a new object what only the server may set. */
export function wipeMetadata({ metadata }: KubeObject): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete (metadata as { selfLink?: string }).selfLink;
}

/** Sets what the server owns in the metadata of a new object. Kinds that count no generations keep what they are sent. */
export function startMetadata(type: ResourceType, object: KubeObject, nowMs: number): void {
  const { metadata } = object;
  wipeMetadata(object);
  metadata.uid = randomUUID();
  metadata.creationTimestamp = formatTimestamp(nowMs);
  if (type.strategy.hasGeneration) metadata.generation = 1;
}

/** The version that an object was sent with, as a number; NaN for a text that is none. */
export function sentVersion({ metadata }: KubeObject): number {
  const { resourceVersion = '' } = metadata;
  if (resourceVersion === '') return 0;
  return /^\d{1,20}$/.test(resourceVersion) ? Number(resourceVersion) : Number.NaN;
}

/** Puts back what the server owns in the metadata of a changed object, and fills in what was left out. */
export function carryOverMetadata(object: KubeObject, live: KubeObject): void {
  const metadata = object.metadata as Record<string, unknown>;
  delete metadata['selfLink'];
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } = live.metadata;
  if (metadata['uid'] === undefined || metadata['uid'] === '') metadata['uid'] = uid;
  metadata['creationTimestamp'] = creationTimestamp;
  if (deletionTimestamp !== undefined) metadata['deletionTimestamp'] = deletionTimestamp;
  if (deletionGracePeriodSeconds !== undefined) metadata['deletionGracePeriodSeconds'] ??= deletionGracePeriodSeconds;
  if (generation === undefined) delete metadata['generation'];
  else metadata['generation'] = generation;
}
