import type { FieldError } from '../../src/schema/index.ts';
import type { KubeObject } from './kube-object.ts';

/** What the server must know of others to write an object: pure strategies ask through it. */
export interface RegistryView {
  /** All services stored: the cluster IPs and node ports in use. */
  services(): Iterable<KubeObject>;
  /** A free address of the service network, undefined when there is none. */
  freeClusterIp(): string | undefined;
  /** A port from 30000 to 32767 that is not in `used`, undefined when there is none. */
  freeNodePort(used: ReadonlySet<number>): number | undefined;
  isClusterIpInRange(address: string): boolean;
  nowMs(): number;
}

/** What is special about writing one part of an object. */
export interface SubresourceRules {
  /** Takes back what may not be written there. Changes `object`. */
  readonly prepare: (object: KubeObject, old: KubeObject, view: RegistryView) => void;
  /** All rules for such a write. */
  readonly validate: (object: KubeObject, old: KubeObject) => FieldError[];
}

/** What is special about one built-in kind. All members may be left out; `createBuiltinStrategy` documents the defaults. */
export interface KindRules {
  readonly applyDefaults?: (object: KubeObject) => void;
  readonly prepareForCreate?: (object: KubeObject, view: RegistryView) => void;
  /** After the stored status was put back. */
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, view: RegistryView) => void;
  readonly prepareForStatusUpdate?: (object: KubeObject, old: KubeObject, view: RegistryView) => void;
  /** A new object may bring a status. */
  readonly keepsSentStatus?: boolean;
  /** Rules for the object by itself, on create and on update. */
  readonly validate?: (object: KubeObject, view: RegistryView) => FieldError[];
  /** Rules for the step from one state to the next. */
  readonly validateUpdate?: (object: KubeObject, old: KubeObject, view: RegistryView) => FieldError[];
  /** All rules for an update, instead of `validate` and `validateUpdate`: for kinds whose update is validated in another order. */
  readonly validateChange?: (object: KubeObject, old: KubeObject, view: RegistryView) => FieldError[];
  /** Rules for a write to `/status`. */
  readonly validateStatus?: (object: KubeObject, old: KubeObject) => FieldError[];
  /** Writes to other parts than `/status`, by name. */
  readonly subresources?: ReadonlyMap<string, SubresourceRules>;
  readonly statusWarnings?: (object: KubeObject, old: KubeObject) => string[];
  readonly warnings?: (object: KubeObject, old: KubeObject | undefined) => string[];
  /** Members of the object whose change starts a generation; left out: no generations, empty: always the first. `metadata.annotations` may be among them. */
  readonly generationOf?: readonly string[];
  /** A new object has the generation it is sent with, if any. */
  readonly keepsSentGeneration?: boolean;
  readonly nameProblems?: (name: string) => string[];
  readonly defaultPropagation?: 'Background' | 'Orphan';
  readonly graceSeconds?: (object: KubeObject, requested: number | undefined) => number;
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;
}
