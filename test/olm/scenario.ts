import type { JsonObject, JsonValue } from '../../src/base/index.ts';

/** Names one object; `namespace` is the short name that the scenario uses. */
export interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** The phase or state of an object; or members of its status; or a text that its JSON has, or lacks; or that it was deleted. */
export type State =
  | { readonly of: Target; readonly shows: Readonly<Record<string, string>> }
  | { readonly of: Target; readonly is: string }
  | { readonly of: Target; readonly has: string }
  | { readonly of: Target; readonly lacks: string }
  | { readonly of: Target; readonly isAbsent: true };

/** Wait until nothing changes any more, then record everything under the label. */
export interface Rest {
  readonly rest: string;
  /** Is only waited for, as long as the wait may take: nothing is expected. It is for what happens behind the API first, such as a resolution. */
  readonly until?: State;
  /** Paths of the API whose answers are recorded too, by a name of their own. */
  readonly reads?: Readonly<Record<string, string>>;
  /** Objects such as a SubjectAccessReview that are created, and whose status is recorded. */
  readonly reviews?: Readonly<Record<string, JsonObject>>;
}

/** One thing that a user does, or a rest. A `try` records under its name whether the API server accepts the object. */
export type Action =
  | { readonly apply: JsonObject }
  | { readonly try: string; readonly apply: JsonObject }
  | { readonly patch: Target; readonly merge: JsonObject; readonly subresource?: 'status' }
  | { readonly delete: Target }
  | { readonly deleteAll: Omit<Target, 'name'> }
  /** All InstallPlans of the namespace. */
  | { readonly approve: string }
  | { readonly restart: true }
  | Rest;

/** What users do and what to record. Texts may hold `$id`, which is unique to the scenario, and `$catalog/NAME`, the address at which the catalog of that
 *  name is served. Namespaces are created first; in texts they are written `$id-NAME`. */
export interface Scenario {
  /** The rows of the checklist that it plays, then a letter where several play the same one: `C-027`, `T13b`. */
  readonly id: string;
  /** A sentence about the situation. It expects nothing. */
  readonly title: string;
  readonly namespaces: readonly string[];
  /** Documents of file-based catalogs. */
  readonly catalogs?: Readonly<Record<string, readonly JsonObject[]>>;
  /** Plays on a cluster of its own: what it changes or counts belongs to the whole cluster. */
  readonly isAlone?: true;
  readonly actions: readonly Action[];
}

/** The text that `$id` stands for. */
export function slugOf(id: string): string {
  return `case-${id.toLowerCase().replace(/[^a-z0-9]/g, '')}`;
}

/** What the implementation showed at one point of rest. */
export interface Snapshot {
  readonly label: string;
  /** Present where objects were still changing when the time was up: a loop. */
  readonly restless?: true;
  /** In canonical form, by `Kind namespace/name`: what changed since the point before; null is what was deleted. */
  readonly objects: Readonly<Record<string, JsonObject | null>>;
  /** The states that an object was seen in since the scenario began, by the same key. */
  readonly phases: Readonly<Record<string, readonly string[]>>;
  /** `Kind namespace/name: Type Reason: message`, sorted, each once. */
  readonly events: readonly string[];
  /** Series of the scenario's objects. */
  readonly metrics: readonly string[];
  /** Of reads, reviews and tries, by their names. */
  readonly answers?: Readonly<Record<string, JsonValue>>;
}

/** Everything that one run of a scenario showed. */
export interface Recording {
  readonly title: string;
  readonly snapshots: readonly Snapshot[];
}

/** By the id of the scenario. */
export type Recordings = Readonly<Record<string, Recording>>;

/** Something that behaves as OLM does and runs on a cluster. */
export interface Implementation extends AsyncDisposable {
  readonly kubeconfigPath: string;
  /** Longer than it takes until what it does next can be seen. */
  readonly quietMs: number;
  /** The same where a later rest of the scenario shows what comes late. Default: as long. */
  readonly briefQuietMs?: number;
  /** Whether it has nothing to do. Absent: that is not known. */
  isIdle?(): Promise<boolean>;
  /** How long a rest waits for a state. */
  readonly stateLimitMs: number;
  /** The answer of the API server to GET, as the administrator. */
  read(path: string): Promise<JsonValue>;
  /** The text of all its metrics. */
  metrics(): Promise<string>;
  /** Ends its processes and starts them again on the same cluster. */
  restart(): Promise<void>;
  /** @throws Error when a process ended, with the end of its log */
  assertAlive(): Promise<void>;
}
