import { healthOf } from '../../../src/apply/index.ts';
import type { Clock, JsonObject } from '../../../src/base/index.ts';
import type { KubeObject, ListTarget } from '../../../src/kube/index.ts';
import { fieldOwners } from './field-owners.ts';
import { KindRows, type WatchDeps } from './kind-rows.ts';
import { Listeners, type Source, type SourceState } from './source.ts';

/** An object without what only servers need. */
function shown(object: KubeObject): JsonObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata as KubeObject['metadata'] & {
    managedFields?: unknown;
  };
  return { ...object, metadata } as unknown as JsonObject;
}

/** An object that another program wrote may lack what its schema requires. */
function safeHealth(object: KubeObject, clock: Clock): { readonly state: string; readonly message: string } {
  try {
    return healthOf(object, clock.now());
  } catch {
    return { state: 'Unavailable', message: '' };
  }
}

interface Row {
  readonly key: string;
  readonly json: string;
}

const maxRows = 10_000;

/** The objects of one kind, whole, each with its health, one alone with the owners of its fields: `{ object, health, owners }`. */
export class ObjectSource implements Source {
  readonly #listeners = new Listeners();
  readonly #rows: KindRows<Row>;
  readonly #name: string | undefined;

  constructor(deps: WatchDeps, target: ListTarget, name?: string) {
    this.#name = name;
    const project = (object: KubeObject): Row => {
      const { namespace = '', name: own = '' } = object.metadata;
      return {
        key: `${namespace}/${own}`,
        json: JSON.stringify({
          object: shown(object),
          health: safeHealth(object, deps.clock),
          ...(name === undefined ? {} : { owners: fieldOwners(object) }),
        }),
      };
    };
    this.#rows = new KindRows(deps, target, { project, onChange: () => this.#listeners.call() });
  }

  state(): SourceState {
    const count = this.#rows.values().length;
    if (count <= maxRows) return this.#rows.state();
    return { state: 'failed', message: `there are ${count} objects, more than the ${maxRows} that are shown` };
  }

  rows(): ReadonlyMap<string, string> {
    const all = this.#rows.values();
    if (all.length > maxRows) return new Map();
    const found = this.#name === undefined ? all : all.filter(({ key }) => key.endsWith(`/${this.#name}`));
    return new Map(found.map(({ key, json }) => [key, json]));
  }

  subscribe(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }

  [Symbol.dispose](): void {
    this.#rows[Symbol.dispose]();
  }
}
