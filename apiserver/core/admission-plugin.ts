import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from './kube-object.ts';
import type { ResourceType } from './resource-type.ts';
import type { UserInfo } from './user-info.ts';

/** One write on its way to storage. `object` and `oldObject` are in the version of `resource`, as requested. */
export interface AdmissionRequest {
  /** CONNECT is of a subresource such as exec; its object is the options of the connection. */
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: ResourceType;
  readonly subresource: string | undefined;
  readonly namespace: string;
  /** May be empty on CREATE with generateName. */
  readonly name: string;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  /** CreateOptions, UpdateOptions or DeleteOptions with kind and apiVersion; null for CONNECT. */
  readonly options: JsonObject | null;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Adds a `Warning` header to the response. */
  warn(text: string): void;
  readonly signal: AbortSignal;
}

/** A step of admission. The pipeline runs `mutate` of all plug-ins in their order, then validates, then runs `validate` of all.
 *  @throws StatusError to refuse */
export interface AdmissionPlugin {
  readonly name: string;
  /** A new object in place of `request.object`, or undefined to leave it. */
  mutate?(request: AdmissionRequest): Promise<KubeObject | undefined>;
  validate?(request: AdmissionRequest): Promise<void>;
}
