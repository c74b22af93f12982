import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject, ResourceType, UserInfo } from '../core/index.ts';

/** Who writes, under which name and with which options. */
export interface WriteContext {
  readonly user: UserInfo;
  /** Name for managedFields. */
  readonly manager: string;
  readonly dryRun: boolean;
  /** Whether the object is one of many that are deleted at once: then admission does not get its name. */
  readonly isCollection?: boolean;
  /** Whether admission has seen the request that the write is a part of: an eviction is admitted, not the deletion that it leads to. */
  readonly isAdmitted?: boolean;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions with kind and apiVersion. */
  readonly options: JsonObject;
  warn(text: string): void;
  readonly signal: AbortSignal;
  /** Called, and awaited, between the steps of a write, each of which may take long. */
  readonly takeTurn?: () => Promise<void> | undefined;
  /** Called before an update or apply creates what it does not find.
   *  @throws StatusError 403 */
  mayCreate?(): void;
}

/** What a write acts on. */
export interface WriteTarget {
  readonly type: ResourceType;
  readonly namespace: string;
  /** Empty on create: the object has it. */
  readonly name: string;
  readonly subresource: string | undefined;
}

/** What a write left. `object` is in the version of the target's type. */
export interface WriteResult {
  readonly object: KubeObject;
  readonly isCreated: boolean;
  /** Whether the object was removed: deleted, or the last finalizer removed from a deleted one. */
  readonly isDeleted: boolean;
}

/** Key in storage: `namespace/name`. */
export function storageName(type: ResourceType, namespace: string, name: string): string {
  return type.namespaced ? `${namespace}/${name}` : `/${name}`;
}
