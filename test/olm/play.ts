import { setTimeout as pause } from 'node:timers/promises';
import { errorMessage, type JsonObject, type JsonValue, objectAt, systemClock, textAt } from '../../src/base/index.ts';
import {
  createKubeClient,
  isNotFound,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
} from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { serveCatalogs } from './catalogs.ts';
import { Observer, type Timeline } from './observer.ts';
import {
  type Action,
  type Implementation,
  type Recording,
  type Rest,
  type Scenario,
  type Snapshot,
  type State,
  slugOf,
  type Target,
} from './scenario.ts';

/** For quiet. What changes for longer is a loop. */
const restLimitMs = 45_000;
/** A point of rest that is not as expected is recorded once more for so long: on a busy machine what follows may come late. */
const expectedLimitMs = 120_000;
const recordAgainMs = 2_000;
const writer = { fieldManager: 'scenario' };

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

const counts =
  /^(csv_count|csv_upgrade_count|install_plan_count|subscription_count|catalog_source_count|installplan_warnings_total)\b/;

/** Series that name the scenario's objects; counts of the cluster where it is alone. How often something was synced is chance. */
function metricsOf({ canonical }: Timeline, { slug, isAlone }: { slug: string; isAlone: boolean }, text: string) {
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  const own = new RegExp(`${slug}(?![a-z0-9])`);
  const named = lines.filter((line) => own.test(line) || (isAlone && counts.test(line)));
  return named
    .map((line) => canonical.text(/^\w+_(?:total|bucket|sum)\b/.test(line) ? line.replace(/ [^ ]+$/, '') : line))
    .toSorted();
}

function withSlug<T>(value: T, slug: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('$id', slug)) as T;
}

/** Whether an object is as described; texts have no variables. */
export async function isReached(kube: KubeClient, state: State): Promise<boolean> {
  try {
    const object = (await kube.get(state.of)) as JsonObject;
    if ('isAbsent' in state) return false;
    if ('has' in state) return JSON.stringify(object).includes(state.has);
    if ('lacks' in state) return !JSON.stringify(object).includes(state.lacks);
    const status = objectAt(object, 'status');
    if ('shows' in state) return Object.entries(state.shows).every(([key, value]) => textAt(status, key) === value);
    return textAt(status, 'phase') === state.is || textAt(status, 'state') === state.is;
  } catch (thrown) {
    if (isNotFound(thrown)) return 'isAbsent' in state;
    throw thrown;
  }
}

/** Whether what was shown until now is as it should be: nothing more is waited for then. */
export type Expectation = (snapshots: readonly Snapshot[]) => boolean;

/** One run of one scenario. */
class Run {
  readonly #kube: KubeClient;
  readonly #implementation: Implementation;
  readonly #slug: string;
  readonly #isAlone: boolean;
  readonly #timeline: Timeline;
  readonly #addresses: ReadonlyMap<string, string>;
  readonly #isExpected: Expectation;
  readonly #restCount: number;
  readonly snapshots: Snapshot[] = [];
  #answers: Record<string, JsonValue> = {};
  #before = new Map<string, JsonObject>();

  constructor(
    stage: Stage,
    scenario: Scenario,
    { addresses, isExpected }: { readonly addresses: ReadonlyMap<string, string>; readonly isExpected: Expectation },
  ) {
    this.#kube = stage.kube;
    this.#implementation = stage.implementation;
    this.#slug = slugOf(scenario.id);
    this.#isAlone = scenario.isAlone ?? false;
    this.#timeline = stage.observer.timeline(this.#slug);
    this.#addresses = addresses;
    this.#isExpected = isExpected;
    this.#restCount = scenario.actions.filter((action) => 'rest' in action).length;
  }

  #filled<T>(value: T): T {
    const text = JSON.stringify(withSlug(value, this.#slug));
    return JSON.parse(
      text.replace(/\$catalog\/([\w-]+)/g, (_all, name: string) => this.#addresses.get(name) ?? ''),
    ) as T;
  }

  async act(action: Action): Promise<void> {
    if ('rest' in action) return await this.#rest(action);
    if ('restart' in action) {
      await this.#implementation.restart();
    } else if ('try' in action) {
      this.#answers[action.try] = await this.#attempt(action.apply);
    } else if ('apply' in action) {
      await this.#kube.apply(await this.#withUids(action.apply), { ...writer, force: true });
    } else if ('patch' in action) {
      const { subresource } = action;
      const options = subresource === undefined ? writer : { ...writer, subresource };
      await this.#kube.patch(this.#target(action.patch), this.#filled(action.merge), options);
    } else {
      await this.#actOnMany(action);
    }
    // The watch shows the write a moment later.
    this.#timeline.lastChangeMs = Date.now();
  }

  async #actOnMany(action: Extract<Action, { delete: unknown } | { deleteAll: unknown } | { approve: unknown }>) {
    if ('delete' in action) {
      const target = this.#target(action.delete);
      // On a busy machine what is created again may be there a moment later.
      await eventually(() => this.#kube.delete(target));
      return;
    }
    const plans = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' };
    const target = this.#filled('deleteAll' in action ? action.deleteAll : { ...plans, namespace: action.approve });
    const { items } = await this.#kube.list(target);
    for (const { metadata } of items) {
      const object = { ...target, name: metadata.name ?? '' };
      if ('deleteAll' in action) await this.#kube.delete(object);
      else await this.#kube.patch(object, { spec: { approved: true } }, writer);
    }
  }

  /** `$uid/KIND/NAME` is the uid of an object of the namespace `a`. */
  async #withUids(object: JsonObject): Promise<KubeObject> {
    let text = JSON.stringify(this.#filled(object));
    for (const [all, kind = '', name = ''] of text.matchAll(/\$uid\/(\w+)\/([\w.-]+)/g)) {
      const apiVersion = kind === 'ClusterServiceVersion' ? 'operators.coreos.com/v1alpha1' : 'v1';
      const { metadata } = await this.#kube.get({ apiVersion, kind, name, namespace: `${this.#slug}-a` });
      text = text.replace(all, metadata.uid ?? '');
    }
    return JSON.parse(text) as KubeObject;
  }

  async #attempt(object: JsonObject): Promise<JsonValue> {
    try {
      await this.#kube.apply(this.#filled(object) as unknown as KubeObject, { fieldManager: 'scenario', force: true });
      return 'accepted';
    } catch (thrown) {
      return this.#timeline.canonical.text(errorMessage(thrown));
    }
  }

  #target(target: Target): Target {
    return this.#filled(target);
  }

  /** Whether it is still restless when the time is up. */
  async #settle(until?: State): Promise<boolean> {
    const stateEndMs = Date.now() + this.#implementation.stateLimitMs;
    while (until !== undefined && Date.now() < stateEndMs && !(await isReached(this.#kube, this.#filled(until))))
      await pause(200);
    const endMs = Date.now() + restLimitMs;
    while (!(await this.#isQuiet()) && Date.now() < endMs) await pause(100);
    return !this.#isUnchanged();
  }

  #isUnchanged(): boolean {
    const { quietMs, briefQuietMs = quietMs } = this.#implementation;
    const isLast = this.snapshots.length + 1 === this.#restCount;
    return Date.now() - this.#timeline.lastChangeMs >= (isLast ? quietMs : briefQuietMs);
  }

  /** Nothing changed for a while, and nothing is about to. */
  async #isQuiet(): Promise<boolean> {
    if (!this.#isUnchanged()) return false;
    return (await this.#implementation.isIdle?.()) ?? true;
  }

  async #readAnswers({ reads = {}, reviews = {} }: Rest): Promise<void> {
    for (const [name, path] of Object.entries(reads)) {
      this.#answers[name] = this.#timeline.canonical.value(await this.#implementation.read(this.#filled(path)));
    }
    for (const [name, review] of Object.entries(reviews)) {
      const created = await this.#kube.create(this.#filled(review) as unknown as KubeObject, {
        fieldManager: 'scenario',
      });
      this.#answers[name] = { allowed: objectAt(created as JsonObject, 'status')?.['allowed'] ?? null };
    }
  }

  async #rest(rest: Rest): Promise<void> {
    const endMs = Date.now() + expectedLimitMs;
    let shown = await this.#record(rest, rest.until);
    while (!this.#isExpected([...this.snapshots, shown.snapshot]) && Date.now() < endMs) {
      await pause(recordAgainMs);
      shown = await this.#record(rest);
    }
    this.snapshots.push(shown.snapshot);
    this.#answers = {};
    this.#before = shown.objects;
  }

  /** What is there when nothing changes. */
  async #record(
    rest: Rest,
    until?: State,
  ): Promise<{ readonly snapshot: Snapshot; readonly objects: Map<string, JsonObject> }> {
    const isRestless = await this.#settle(until);
    await this.#readAnswers(rest);
    const nowMs = Date.now();
    const objects = objectsOf(this.#timeline, isRestless ? nowMs - restLimitMs * 0.7 : nowMs);
    const phases = [...this.#timeline.phases].map(([key, seen]): [string, string[]] => [key, [...seen]]);
    const scope = { slug: this.#slug, isAlone: this.#isAlone };
    const snapshot: Snapshot = {
      label: rest.rest,
      ...(isRestless ? { restless: true as const } : {}),
      objects: changesOf(this.#before, objects),
      phases: Object.fromEntries(phases.toSorted(([a], [b]) => (a < b ? -1 : 1))),
      events: [...this.#timeline.events].toSorted(),
      // Those of a loop show one of its phases, by chance.
      metrics: isRestless ? [] : metricsOf(this.#timeline, scope, await this.#implementation.metrics()),
      ...(Object.keys(this.#answers).length === 0 ? {} : { answers: { ...this.#answers } }),
    };
    return { snapshot, objects };
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
    try {
      await kube.delete({ apiVersion: 'v1', kind: 'Namespace', name: `${slugOf(scenario.id)}-${name}` });
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
}

/** Plays a scenario and records it.
 *  @throws Error naming the scenario and the action that failed */
export async function playScenario(
  stage: Stage,
  scenario: Scenario,
  isExpected: Expectation = () => true,
): Promise<Recording> {
  await using catalogs = await serveCatalogs(withSlug(scenario.catalogs ?? {}, slugOf(scenario.id)));
  const run = new Run(stage, scenario, { addresses: catalogs.addresses, isExpected });
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
