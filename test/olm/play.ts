import { setTimeout as pause } from 'node:timers/promises';
import { errorMessage, type JsonObject, objectAt, systemClock, textAt } from '../../src/base/index.ts';
import {
  createKubeClient,
  isNotFound,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
} from '../../src/kube/index.ts';
import { serveCatalogs } from './catalogs.ts';
import { Observer, type Timeline } from './observer.ts';
import {
  type Action,
  type Implementation,
  type Recording,
  type Scenario,
  type Snapshot,
  type State,
  slugOf,
  type Target,
} from './scenario.ts';

/** Longer than two resyncs of the oracle: what it corrects only then is not missed. */
const quietMs = 6_000;
const restLimitMs = 60_000;

/** Objects by their key; several with one key are numbered in the order of their content. */
function objectsOf({ canonical, objects }: Timeline, changedBeforeMs: number): Map<string, JsonObject> {
  const settled = [...objects.values()].filter(({ changedMs }) => changedMs <= changedBeforeMs);
  const sorted = settled.toSorted((a, b) => (a.text < b.text ? -1 : 1));
  const named = new Map<string, JsonObject>();
  for (const { object } of sorted) {
    const key = canonical.key(object);
    let free = key;
    for (let number = 2; named.has(free); number++) free = `${key} #${number}`;
    named.set(free, object);
  }
  return new Map([...named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Series that name the scenario's objects. How often something was synced is chance. */
function metricsOf({ canonical }: Timeline, slug: string, text: string): string[] {
  const named = text.split('\n').filter((line) => line.includes(slug) && !line.startsWith('#'));
  return named
    .map((line) => canonical.text(/^\w+_(?:total|bucket|sum)\b/.test(line) ? line.replace(/ [^ ]+$/, '') : line))
    .toSorted();
}

function withSlug<T>(value: T, slug: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('$id', slug)) as T;
}

/** One run of one scenario. */
class Run {
  readonly #kube: KubeClient;
  readonly #implementation: Implementation;
  readonly #slug: string;
  readonly #timeline: Timeline;
  readonly #addresses: ReadonlyMap<string, string>;
  readonly snapshots: Snapshot[] = [];
  #before = new Map<string, JsonObject>();

  constructor(stage: Stage, scenario: Scenario, addresses: ReadonlyMap<string, string>) {
    this.#kube = stage.kube;
    this.#implementation = stage.implementation;
    this.#slug = slugOf(scenario.id);
    this.#timeline = stage.observer.timeline(this.#slug);
    this.#addresses = addresses;
  }

  #filled<T>(value: T): T {
    const text = JSON.stringify(withSlug(value, this.#slug));
    return JSON.parse(
      text.replace(/\$catalog\/([\w-]+)/g, (_all, name: string) => this.#addresses.get(name) ?? ''),
    ) as T;
  }

  async act(action: Action): Promise<void> {
    const options = { fieldManager: 'scenario' };
    if ('rest' in action) return await this.#rest(action.rest, action.until);
    if ('apply' in action) {
      await this.#kube.apply(this.#filled(action.apply) as unknown as KubeObject, { ...options, force: true });
    } else if ('patch' in action) {
      const { subresource } = action;
      const patchOptions = subresource === undefined ? options : { ...options, subresource };
      await this.#kube.patch(this.#target(action.patch), this.#filled(action.merge), patchOptions);
    } else {
      await this.#kube.delete(this.#target(action.delete));
    }
    // The watch shows the write a moment later.
    this.#timeline.lastChangeMs = Date.now();
  }

  #target(target: Target): Target {
    return this.#filled(target);
  }

  async #isReached({ of, is }: State): Promise<boolean> {
    try {
      const status = objectAt((await this.#kube.get(this.#target(of))) as JsonObject, 'status');
      return textAt(status, 'phase') === is || textAt(status, 'state') === is;
    } catch (thrown) {
      if (isNotFound(thrown)) return false;
      throw thrown;
    }
  }

  async #rest(label: string, until?: State): Promise<void> {
    const endMs = Date.now() + restLimitMs;
    while (until !== undefined && Date.now() < endMs && !(await this.#isReached(until))) await pause(200);
    while (Date.now() - this.#timeline.lastChangeMs < quietMs && Date.now() < endMs) await pause(100);
    const nowMs = Date.now();
    const isRestless = nowMs - this.#timeline.lastChangeMs < quietMs;
    const changedBeforeMs = isRestless ? nowMs - restLimitMs / 2 : nowMs;
    const objects = objectsOf(this.#timeline, changedBeforeMs);
    const phases = [...this.#timeline.phases].map(([key, seen]): [string, string[]] => [key, [...seen]]);
    this.snapshots.push({
      label,
      ...(isRestless ? { restless: true as const } : {}),
      objects: changesOf(this.#before, objects),
      phases: Object.fromEntries(phases.toSorted(([a], [b]) => (a < b ? -1 : 1))),
      events: [...this.#timeline.events].toSorted(),
      // Those of a loop show one of its phases, by chance.
      metrics: isRestless ? [] : metricsOf(this.#timeline, this.#slug, await this.#implementation.metrics()),
    });
    this.#before = objects;
  }
}

/** What is new or different, and null for what does not exist any more. */
function changesOf(
  before: ReadonlyMap<string, JsonObject>,
  now: ReadonlyMap<string, JsonObject>,
): Record<string, JsonObject | null> {
  const changed = [...now].filter(([key, object]) => JSON.stringify(before.get(key)) !== JSON.stringify(object));
  const deleted = [...before.keys()].filter((key) => !now.has(key)).map((key): [string, null] => [key, null]);
  return Object.fromEntries([...changed, ...deleted].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A running implementation and who watches it. */
export interface Stage extends AsyncDisposable {
  readonly implementation: Implementation;
  readonly kube: KubeClient;
  readonly observer: Observer;
}

/** Starts to watch an implementation; it plays any number of scenarios, several at a time. */
export async function openStage(implementation: Implementation): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const access = await loadClusterAccess({ path: implementation.kubeconfigPath });
  const kube = createKubeClient({ access, clock: systemClock });
  stack.defer(() => kube.close());
  const observer = stack.use(new Observer());
  await observer.start(kube);
  const owned = stack.move();
  return { implementation, kube, observer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function cleanUp({ kube }: Stage, scenario: Scenario): Promise<void> {
  for (const name of scenario.namespaces) {
    await kube.delete({ apiVersion: 'v1', kind: 'Namespace', name: `${slugOf(scenario.id)}-${name}` });
  }
}

/** Plays a scenario and records it.
 *  @throws Error naming the scenario and the action that failed */
export async function playScenario(stage: Stage, scenario: Scenario): Promise<Recording> {
  await using catalogs = await serveCatalogs(withSlug(scenario.catalogs ?? {}, slugOf(scenario.id)));
  const run = new Run(stage, scenario, catalogs.addresses);
  const namespaces = scenario.namespaces.map(
    (name): Action => ({ apply: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `$id-${name}` } } }),
  );
  for (const action of [...namespaces, ...scenario.actions]) {
    try {
      await run.act(action);
    } catch (thrown) {
      const cause = errorMessage(thrown);
      throw new Error(`${scenario.id}: ${JSON.stringify(action).slice(0, 300)}: ${cause}`, { cause: thrown });
    }
  }
  await cleanUp(stage, scenario);
  await stage.implementation.assertAlive();
  return { title: scenario.title, snapshots: run.snapshots };
}
