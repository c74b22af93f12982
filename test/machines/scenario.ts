import type { JsonObject } from '../../src/base/index.ts';

/** Names one object. */
export interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** What a rest waits for. It is only waited for: nothing is expected. */
export type State =
  | { readonly of: Target; readonly has: string }
  | { readonly of: Target; readonly lacks: string }
  | { readonly of: Target; readonly isAbsent: true }
  /** So many machines exist. */
  | { readonly machines: number; readonly phase?: string }
  /** The provider was asked for it: `delete a`. */
  | { readonly called: string };

type Operation = 'create' | 'update' | 'delete' | 'exists';

/** One thing that happens, or a rest: wait until nothing changes any more, then record everything under the label. */
export type Action =
  | { readonly rest: string; readonly until?: State }
  | { readonly await: State }
  | { readonly apply: JsonObject }
  | { readonly patch: Target; readonly merge: JsonObject; readonly subresource?: 'status' | 'scale' }
  | { readonly delete: Target }
  /** Ends the controllers and starts them again. */
  | { readonly restart: true }
  /** What the provider answers to an operation from now on, instead of doing it. Null: it does it again. */
  | { readonly provider: Operation; readonly answers: JsonObject | null };

/** What happens and what to record. */
export interface Scenario {
  /** Unique among all areas. */
  readonly id: string;
  /** A sentence about the situation. It expects nothing. */
  readonly title: string;
  /** Rows of the checklist that it plays. */
  readonly rows?: readonly string[];
  /** Exist before the controllers start; with their status. */
  readonly objects?: readonly JsonObject[];
  /** Every machine that has an instance gets a Node that is ready. */
  readonly hasNodes?: true;
  readonly actions: readonly Action[];
}

/** What was shown at one point of rest. */
export interface Snapshot {
  readonly label: string;
  /** What was waited for was not reached. */
  readonly unreached?: true;
  /** In canonical form, by `Kind namespace/name`: what changed since the point before; null is what was deleted. */
  readonly objects: Readonly<Record<string, JsonObject | null>>;
  /** Those that are new since the point before: `Kind name: Type Reason: message`, each once, sorted. */
  readonly events: readonly string[];
  /** What the provider was asked to create and delete since the point before, each once, in order. */
  readonly calls: readonly string[];
}

/** Everything that one run of a scenario showed. */
export interface Recording {
  readonly title: string;
  readonly snapshots: readonly Snapshot[];
}

/** By the id of the scenario. */
export type Recordings = Readonly<Record<string, Recording>>;

/** What controllers are started with. */
export interface EngineStart {
  readonly kubeconfigPath: string;
  /** Of the provider. */
  readonly actuatorUrl: string;
  /** Is deleted after the scenario. */
  readonly workFolder: string;
}

/** Controllers that manage machines. */
export interface Implementation {
  /** Longer than it takes until what they do next can be seen. */
  readonly quietMs: number;
  start(start: EngineStart): Promise<AsyncDisposable>;
}
