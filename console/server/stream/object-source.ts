import { healthOf } from '../../../src/apply/index.ts';
import type { Clock, JsonObject } from '../../../src/base/index.ts';
import type { KubeObject, ListTarget } from '../../../src/kube/index.ts';
import { fieldOwners } from './field-owners.ts';
import { KindRows, textBytes, type WatchDeps } from './kind-rows.ts';
import { Listeners, type Row, rowOf, type Source, type SourceState } from './source.ts';

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

const maxRows = 10_000;

/** The objects of one kind, whole, each with its health, one alone with the owners of its fields: `{ object, health, owners }`. */
export class ObjectSource implements Source {
  readonly #listeners = new Listeners();
  readonly #rows: KindRows<Row>;
  readonly #name: string | undefined;

  constructor(deps: WatchDeps, target: ListTarget, name?: string) {
    this.#name = name;
    this.#rows = new KindRows(deps, target, {
      project: (object) => {
        const { namespace = '', name: own = '' } = object.metadata;
        const owners = name === undefined ? {} : { owners: fieldOwners(object) };
        return rowOf(`${namespace}/${own}`, {
          object: shown(object),
          health: safeHealth(object, deps.clock),
          ...owners,
        });
      },
      sizeOf: ({ json }) => textBytes(json),
      onChange: () => this.#listeners.call(),
      maxRows,
    });
  }

  state(): SourceState {
    return this.#rows.state();
  }

  rows(): readonly Row[] {
    const all = this.#rows.values();
    return this.#name === undefined ? all : all.filter(({ key }) => key.endsWith(`/${this.#name}`));
  }

  subscribe(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }

  [Symbol.dispose](): void {
    this.#rows[Symbol.dispose]();
  }
}
