import type { JsonObject } from '../../../src/base/index.ts';

/** One thing that happens, or a rest: wait until nothing changes any more, then record everything under the label. `<1>` stands for the first rendered
 *  configuration of the scenario, `<2>` for the second. */
export type PoolAction =
  | { readonly rest: string }
  | { readonly create: JsonObject }
  | {
      readonly patch: { readonly kind: string; readonly name: string };
      readonly merge: JsonObject;
      readonly subresource?: 'status';
    }
  | { readonly delete: { readonly kind: string; readonly name: string; readonly namespace?: string } };

/** What happens and what to record. It expects nothing. */
export interface PoolScenario {
  readonly id: string;
  readonly title: string;
  /** Rows of the checklist that it plays. */
  readonly rows: readonly string[];
  readonly actions: readonly PoolAction[];
}

/** What was shown at one point of rest: objects that changed since the one before, and new Events. */
export interface PoolSnapshot {
  readonly label: string;
  readonly objects: Readonly<Record<string, JsonObject | null>>;
  readonly events: readonly string[];
}

/** By the id of the scenario. */
export type PoolRecordings = Readonly<Record<string, readonly PoolSnapshot[]>>;

/** Controllers that update pools. */
export interface PoolImplementation {
  /** Longer than it takes until what they do next can be seen. */
  readonly quietMs: number;
  start(kubeconfigPath: string): Promise<AsyncDisposable>;
}
