import { formatTimestamp } from '../../src/base/index.ts';
import { serverSideApply, trackUpdate } from '../apply/index.ts';
import { groupVersionOf, type KubeObject, type ResourceType, type Steps } from '../core/index.ts';
import { resetFields } from './endpoint-fields.ts';
import type { WriteContext } from './write-context.ts';

/** One write, as managedFields see it. */
export interface TrackedWrite {
  readonly type: ResourceType;
  readonly live: KubeObject | undefined;
  readonly context: WriteContext;
  readonly nowMs: number;
  readonly subresource?: string | undefined;
}

/** Events are of two groups. */
function isOfGroup({ group, storageKey }: ResourceType, apiVersion: string): boolean {
  const given = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.lastIndexOf('/')) : '';
  return given === group || (storageKey === 'events' && (given === '' || given === 'events.k8s.io'));
}

function actor({ type, context, nowMs, subresource }: TrackedWrite): {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  readonly now: string;
  readonly isKnownVersion: (apiVersion: string) => boolean;
} {
  const now = formatTimestamp(nowMs);
  const isKnownVersion = (apiVersion: string): boolean => isOfGroup(type, apiVersion);
  return { manager: context.manager, apiVersion: groupVersionOf(type), subresource, now, isKnownVersion };
}

/** The updated object with its managedFields kept up, for every write that is not an apply. */
export function trackFields(write: TrackedWrite, updated: KubeObject): Steps<KubeObject> {
  const { type, live, subresource } = write;
  const reset = resetFields(type, subresource);
  return trackUpdate({ ...actor(write), live, updated, schema: type.schema, resetFields: reset });
}

/** The live object with an apply patch merged in.
 *  @throws StatusError 409 on conflicts, 400 and 500 for patches that do not fit */
export function applyFields(write: TrackedWrite, patch: KubeObject, force: boolean): Steps<KubeObject> {
  const { type, live, subresource } = write;
  const reset = resetFields(type, subresource);
  return serverSideApply({ ...actor(write), live, patch, force, schema: type.schema, resetFields: reset });
}
