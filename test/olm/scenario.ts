import type { JsonObject } from '../../src/base/index.ts';

/** Names one object; `namespace` is the short name that the scenario uses. */
export interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** The phase or state of an object. */
export interface State {
  readonly of: Target;
  readonly is: string;
}

/** One thing that a user does, or `rest`: wait until nothing changes any more, then record everything under that label. `until` is only waited for, as long as
 *  the wait may take: nothing is expected. It is for what happens behind the API first, such as a resolution. */
export type Action =
  | { readonly apply: JsonObject }
  | { readonly patch: Target; readonly merge: JsonObject; readonly subresource?: 'status' }
  | { readonly delete: Target }
  | { readonly rest: string; readonly until?: State };

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
  /** The text of all its metrics. */
  metrics(): Promise<string>;
  /** @throws Error when a process ended, with the end of its log */
  assertAlive(): Promise<void>;
}
