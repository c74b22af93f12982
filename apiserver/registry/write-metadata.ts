import { randomUUID } from 'node:crypto';
import { formatTimestamp } from '../../src/base/index.ts';
import { badRequest, StatusError } from '../http/status-error.ts';
import type { KubeObject } from './kube-object.ts';
import type { ResourceType } from './resource-type.ts';
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

/** Sets what the server owns in the metadata of a new object.
 *  @throws StatusError 500 when it comes with a resourceVersion */
export function startMetadata(type: ResourceType, object: KubeObject, nowMs: number): void {
  const { metadata } = object;
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '') {
    throw new StatusError({ code: 500, message: 'resourceVersion should not be set on objects to be created' });
  }
  delete metadata.resourceVersion;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete (metadata as { selfLink?: string }).selfLink;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = formatTimestamp(nowMs);
  if (type.strategy.hasGeneration) metadata.generation = 1;
  else delete metadata.generation;
}

const ownedByServer = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
] as const;

/** Puts back what the server owns in the metadata of a changed object. */
export function carryOverMetadata(object: KubeObject, live: KubeObject): void {
  const metadata = object.metadata as Record<string, unknown>;
  delete metadata['selfLink'];
  for (const field of ownedByServer) {
    const value = live.metadata[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
}
