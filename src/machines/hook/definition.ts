/** An object of the Kubernetes API, as JSON. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

/** Names one object; without a namespace for kinds of the cluster. */
export interface ApiRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Objects of a kind; without a namespace those of all namespaces. */
export interface ApiTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The API of the cluster, with the permissions of the process. */
export interface HookApi {
  /** Undefined when it does not exist. */
  get(ref: ApiRef): Promise<ApiObject | undefined>;
  list(target: ApiTarget): Promise<readonly ApiObject[]>;
  /** Returns the object that exists where the name is taken. */
  create(object: ApiObject): Promise<ApiObject>;
  /** JSON merge patch. A `metadata.resourceVersion` in it is a precondition. */
  patch(ref: ApiRef, patch: Readonly<Record<string, unknown>>): Promise<ApiObject>;
  delete(ref: ApiRef): Promise<void>;
  /** Requests the eviction of a Pod; false while a PodDisruptionBudget does not allow it. */
  evict(pod: { readonly namespace: string; readonly name: string }): Promise<boolean>;
}

/** A machine that has a hook. */
export interface HookedMachine {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Its Node, once it has one. */
  readonly node: string | undefined;
  readonly providerID: string | undefined;
  /** Internal addresses. */
  readonly addresses: readonly string[];
  /** When its deletion was requested; undefined before. */
  readonly deletedAtMs: number | undefined;
  /** Since when its node is drained; undefined before. */
  readonly drainedAtMs: number | undefined;
  /** The whole Machine. */
  readonly object: ApiObject;
}

export interface HookCall {
  readonly api: HookApi;
  /** Fires when the process stops. */
  readonly signal: AbortSignal;
  readonly nowMs: number;
}

/** What is left to do: the work is called again after this time, and the condition of the machine has the message. */
export interface HookWait {
  readonly waitSeconds: number;
  readonly message: string;
}

/** A hook of machines and the work that it stands for.
 *  @see docs/machine-hooks.md */
export interface MachineHook {
  /** `preDrain` holds the drain of the node, `preTerminate` the end of the instance: its work begins when the node is drained. */
  readonly stage: 'preDrain' | 'preTerminate';
  /** Describes the step: `BackupVolume`. */
  readonly name: string;
  /** Identifies the program: `backup-controller`. */
  readonly owner: string;
  /** The machines that get the hook. Default: all. */
  readonly selects?: (machine: HookedMachine) => boolean;
  /** Whether hooks are added and changed now; those of machines that are being deleted are worked on anyway. Default: always. */
  readonly mayAdd?: (machines: readonly HookedMachine[]) => boolean;
  /** Does the work, or a part of it. It may be called at any time again, also after a restart: what is done must not be done twice. Nothing to
   *  return: the work is done, and the hook is removed. An error is tried again with growing pauses. */
  work(machine: HookedMachine, call: HookCall): Promise<HookWait | undefined>;
}
