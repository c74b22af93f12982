import { type Clock, isJsonEqual, type JsonObject, type JsonValue, type Logger } from '../../src/base/index.ts';
import {
  type Cluster,
  type ClusterEvent,
  type KubeObject,
  type ResourceType,
  StatusError,
  Turns,
  type TypeRegistry,
} from '../core/index.ts';
import { type CallConversion, type ColumnsOfPrinterColumns, crdStatus, resourceTypesOfCrd } from './crd/index.ts';

const as = 'system:apiserver';
const maxSteps = 5;

interface Condition {
  readonly type: string;
  readonly status: string;
}

export interface CustomResourceDeps {
  readonly cluster: Cluster;
  readonly types: TypeRegistry;
  readonly clock: Clock;
  readonly log: Logger;
  readonly columns: ColumnsOfPrinterColumns;
  readonly callConversion: CallConversion;
}

function statusOf(crd: KubeObject): JsonObject {
  return (crd['status'] ?? {}) as JsonObject;
}

/** Whether a condition of a CustomResourceDefinition is True. */
function hasCondition(crd: KubeObject, type: string): boolean {
  const conditions = (statusOf(crd)['conditions'] ?? []) as unknown as readonly Condition[];
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

interface DefinitionSpec {
  readonly group: string;
  readonly names: { readonly plural: string; readonly kind: string };
}

function specOf(crd: KubeObject): DefinitionSpec {
  return crd['spec'] as unknown as DefinitionSpec;
}

function groupOf(crd: KubeObject): string {
  return specOf(crd).group;
}

/** The built-in types in the form of definitions, whose names are taken. A kube-apiserver serves a definition of such a name and stores its objects
 *  apart; here they would be objects of the built-in type, without its rules, and be deleted with the definition. */
function builtinDefinitions(types: TypeRegistry): KubeObject[] {
  return types.builtin().map(({ group, plural, kind }) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {},
    spec: { group },
    status: { acceptedNames: { plural, kind } },
  }));
}

/** What the names of other definitions depend on. */
function namesOf(crd: KubeObject): KubeObject {
  const { acceptedNames = {}, conditions = [] } = statusOf(crd);
  const { apiVersion, kind, metadata } = crd;
  const { name = '' } = metadata;
  const status = structuredClone({ acceptedNames, conditions });
  return { apiVersion, kind, metadata: { name }, spec: { group: groupOf(crd) }, status };
}

/** Serves the resources of CustomResourceDefinitions: keeps their status up and their types in the registry.
 *  The types of a definition are served before its condition Established can be seen. */
export class CustomResources implements Disposable {
  readonly #deps: CustomResourceDeps;
  readonly #definitions: ResourceType;
  readonly #builtin: readonly KubeObject[];
  /** Of all definitions, by name: to parse them all for each change of one would take as long as they are large. */
  readonly #names = new Map<string, KubeObject>();
  readonly #served = new Map<string, JsonValue>();
  readonly #subscription: Disposable;
  readonly #turns = new Turns();
  #work: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(deps: CustomResourceDeps, definitions: ResourceType) {
    this.#deps = deps;
    this.#definitions = definitions;
    this.#builtin = builtinDefinitions(deps.types);
    for (const crd of deps.cluster.list(definitions)) {
      this.#names.set(crd.metadata.name ?? '', namesOf(crd));
      this.#serve(crd);
    }
    this.#subscription = deps.cluster.subscribe((event) => this.#onEvent(event));
    for (const name of this.#names.keys()) this.#enqueue(name);
  }

  /** Resolves when all that has happened so far is reflected. */
  async settled(): Promise<void> {
    await this.#work;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#subscription[Symbol.dispose]();
  }

  #onEvent(event: ClusterEvent): void {
    if (event.resource.storageKey !== this.#definitions.storageKey) return;
    const name = event.object.metadata.name ?? '';
    if (event.type !== 'DELETED') {
      this.#names.set(name, namesOf(event.object));
      this.#serve(event.object);
      this.#enqueue(name);
      return;
    }
    this.#names.delete(name);
    this.#served.delete(name);
    this.#deps.types.setCustom(name, []);
    // Names that this one had may now be free for others that wait for them.
    for (const [other, names] of this.#names) {
      const isWaiting = !hasCondition(names, 'NamesAccepted');
      if (isWaiting && groupOf(names) === groupOf(event.object)) this.#enqueue(other);
    }
  }

  #enqueue(name: string): void {
    this.#work = this.#work.then(async () => {
      try {
        // Very many may wait, and each is parsed.
        await this.#turns.take();
        if (!this.#isOver) await this.#reconcile(name);
      } catch (thrown) {
        this.#deps.log.error({ err: thrown, name }, 'custom resource definition could not be brought up to date');
      }
    });
  }

  async #reconcile(name: string): Promise<void> {
    const { cluster, clock } = this.#deps;
    for (let step = 0; step < maxSteps; step += 1) {
      const crd = cluster.get(this.#definitions, { namespace: '', name });
      if (crd === undefined) return;
      const status = crdStatus(crd, [...this.#names.values(), ...this.#builtin], clock.now());
      if (isJsonEqual(status, statusOf(crd))) return;
      try {
        await cluster.update(this.#definitions, { ...crd, status }, { as, subresource: 'status' });
      } catch (thrown) {
        // Another client was faster: requeue.
        if (!(thrown instanceof StatusError) || ![404, 409].includes(thrown.failure.code)) throw thrown;
      }
    }
  }

  /** Puts the types of an accepted definition into the registry, once a revision of its spec. */
  #serve(crd: KubeObject): void {
    if (!this.#mayBeServed(crd)) return;
    const { name = '', deletionTimestamp } = crd.metadata;
    const isBeingDeleted = deletionTimestamp !== undefined;
    const edition = [crd['spec'] as JsonObject, isBeingDeleted];
    if (isJsonEqual(this.#served.get(name), edition)) return;
    const { columns, callConversion, types } = this.#deps;
    const before = this.#served.get(name);
    // Watches go on while only the definition is on its way out: its types stay the same.
    const isSame = Array.isArray(before) && isJsonEqual(before[0] ?? null, edition[0] ?? null);
    const made = isSame ? types.customTypes(name) : resourceTypesOfCrd(crd, { columns, callConversion });
    types.setCustom(name, isBeingDeleted ? made.map((type) => ({ ...type, isBeingDeleted: true })) : made);
    this.#served.set(name, edition);
  }

  /** Names of built-in types are refused whatever the status is: others than the server may write it. */
  #mayBeServed(crd: KubeObject): boolean {
    const { group, names } = specOf(crd);
    const isBuiltin = this.#deps.types
      .builtin()
      .some((type) => type.group === group && (type.plural === names.plural || type.kind === names.kind));
    return !isBuiltin && (hasCondition(crd, 'NamesAccepted') || hasCondition(crd, 'Established'));
  }
}
