import type { ClusterVersion } from '../../api/index.ts';
import { cutText, isJsonObject, type JsonObject, objectsAt } from '../../base/index.ts';
import type { ConditionChange } from '../../controller/index.ts';
import { type Condition, setCondition } from '../../kube/index.ts';

/** As much as a condition of Kubernetes has. Messages quote what each ClusterOperator reports, and the server refuses a status that is too large. */
const maxMessageCharacters = 32_768;

/** The status of a ClusterVersion as it is to be. Written as a whole, at the end of a reconcile. */
export class StatusDraft {
  readonly #nowMs: number;
  #status: JsonObject;

  constructor({ status }: ClusterVersion, nowMs: number) {
    this.#nowMs = nowMs;
    const empty = {
      desired: { version: '', image: '' },
      observedGeneration: 0,
      versionHash: '',
      availableUpdates: null,
    };
    const before = status as unknown;
    this.#status = { ...empty, history: [], conditions: [], ...(isJsonObject(before) ? before : {}) };
  }

  get value(): JsonObject {
    return this.#status;
  }

  /** Sets conditions; empty reasons and messages are left out, as the kind has them. */
  set(changes: readonly ConditionChange[]): void {
    let conditions = objectsAt(this.#status, 'conditions') as unknown as readonly Condition[];
    for (const { isFresh: _fresh, ...change } of changes) {
      const message = cutText(change.message, maxMessageCharacters - 1);
      conditions = setCondition(conditions, { ...change, message }, this.#nowMs);
    }
    const written = conditions.map((condition) =>
      Object.fromEntries(Object.entries(condition).filter(([, value]) => value !== '')),
    );
    this.#status = { ...this.#status, conditions: written };
  }

  find(type: string): Condition | undefined {
    const conditions = objectsAt(this.#status, 'conditions') as unknown as readonly Condition[];
    return conditions.find((condition) => condition.type === type);
  }

  has(type: string): boolean {
    return this.find(type) !== undefined;
  }

  remove(type: string): void {
    const conditions = objectsAt(this.#status, 'conditions').filter((condition) => condition['type'] !== type);
    this.#status = { ...this.#status, conditions };
  }

  setFields(fields: JsonObject): void {
    this.#status = { ...this.#status, ...fields };
  }
}
