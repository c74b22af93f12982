import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubeObject } from '../../apiserver/index.ts';
import { errorMessage, type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import { startWebServer, type WebServer } from '../support/index.ts';
import { keyOf } from './canonical.ts';
import { openCluster, type ScenarioCluster } from './cluster.ts';
import { levelsOf, nodesOf, writesByNode } from './nodes.ts';
import { Observer } from './observer.ts';
import { reportHealth, simulateOperators } from './operators.ts';
import { writePayload } from './payloads.ts';
import type {
  Action,
  Engine,
  GraphAnswer,
  Implementation,
  OperatorReport,
  PayloadPlace,
  Recording,
  Rest,
  Scenario,
  Snapshot,
  State,
  Target,
} from './scenario.ts';

/** For quiet. What changes for longer is a loop. */
const restLimitMs = 40_000;
/** A point of rest that is not as expected is recorded once more for so long: on a busy machine what follows may come late. */
const expectedLimitMs = 60_000;
const recordAgainMs = 500;
const fieldManager = 'scenario';
const clusterVersion = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', name: 'version' };
const clusterID = '2c4b0c5e-5a1d-4c8e-9f50-5c6a4e0a4a11';

/** Whether what was shown until now is as it should be: nothing more is waited for then. */
export type Expectation = (snapshots: readonly Snapshot[]) => boolean;

/** What the update service answers. */
class UpdateService implements AsyncDisposable {
  answer: GraphAnswer['graph'] = 404;
  #server: WebServer | undefined;

  async open(): Promise<void> {
    this.#server = await startWebServer((request, response) => this.#handle(request, response));
  }

  get url(): string {
    return `${this.#server?.url ?? ''}/graph`;
  }

  #handle(_request: IncomingMessage, response: ServerResponse): void {
    const { answer } = this;
    const status = typeof answer === 'number' ? answer : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    if (typeof answer === 'number') response.end();
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

function asObject(object: JsonObject): KubeObject {
  return object as unknown as KubeObject;
}

function keyOfTarget({ kind, name, namespace = '' }: Target): string {
  return keyOf({ kind, metadata: { name, namespace } });
}

function isCondition(
  object: JsonObject,
  { condition, is, mentions = '' }: Extract<State, { condition: string }>,
): boolean {
  const found = objectsAt(objectAt(object, 'status'), 'conditions').find((one) => textAt(one, 'type') === condition);
  if (found === undefined) return is === 'absent';
  return textAt(found, 'status') === is && textAt(found, 'message').includes(mentions);
}

function isHistory(object: JsonObject, history: string): boolean {
  const [newest] = objectsAt(objectAt(object, 'status'), 'history');
  return newest !== undefined && `${textAt(newest, 'state')} ${textAt(newest, 'version')}` === history;
}

/** One run of one scenario. */
class Run {
  readonly #scenario: Scenario;
  readonly #implementation: Implementation;
  readonly #cluster: ScenarioCluster;
  readonly #observer: Observer;
  readonly #service: UpdateService;
  readonly #places: ReadonlyMap<string, PayloadPlace>;
  readonly #isExpected: Expectation;
  readonly #nodes: ReadonlyMap<string, string>;
  #engine: Engine | undefined;
  #before = new Map<string, string>();
  #eventsBefore: ReadonlySet<string> = new Set();
  readonly snapshots: Snapshot[] = [];

  constructor(
    { scenario, implementation }: { readonly scenario: Scenario; readonly implementation: Implementation },
    parts: {
      readonly cluster: ScenarioCluster;
      readonly observer: Observer;
      readonly service: UpdateService;
      readonly places: ReadonlyMap<string, PayloadPlace>;
    },
    isExpected: Expectation,
  ) {
    this.#scenario = scenario;
    this.#implementation = implementation;
    this.#cluster = parts.cluster;
    this.#observer = parts.observer;
    this.#service = parts.service;
    this.#places = parts.places;
    this.#isExpected = isExpected;
    this.#nodes = nodesOf(Object.values(scenario.payloads));
  }

  #filled<T>(value: T): T {
    const text = JSON.stringify(value)
      .replaceAll('$upstream', this.#service.url)
      .replace(/\$image\/([\w.-]*\w)/g, (_all, name: string) => this.#place(name).image);
    return JSON.parse(text) as T;
  }

  #place(name: string): PayloadPlace {
    const place = this.#places.get(name);
    if (place === undefined) throw new Error(`${this.#scenario.id} has no payload ${name}`);
    return place;
  }

  /** Creates the ClusterVersion and starts the engine. */
  async open(): Promise<void> {
    const { spec = {}, status, payloads } = this.#scenario;
    const { client } = this.#cluster.server;
    const { name, ...kind } = clusterVersion;
    const object = asObject(this.#filled({ ...kind, metadata: { name }, spec: { clusterID, ...spec } }));
    const created = await client.create(object, { fieldManager });
    if (status !== undefined) {
      const filled = asObject({ ...(created as unknown as JsonObject), status: this.#filled(status) });
      await client.update(filled, { subresource: 'status', fieldManager });
    }
    await this.#start(Object.keys(payloads)[0] ?? '');
  }

  async #start(name: string): Promise<void> {
    this.#engine = await this.#implementation.start({
      kubeconfigPath: this.#cluster.kubeconfigPath,
      workFolder: this.#cluster.folder,
      release: this.#place(name),
      payloads: [...this.#places.values()],
    });
  }

  async close(): Promise<void> {
    await this.#engine?.[Symbol.asyncDispose]();
  }

  async act(action: Action): Promise<void> {
    if ('rest' in action) return await this.#rest(action);
    this.#observer.lastChangeMs = Date.now();
    if ('report' in action) await this.#report(action);
    else if ('graph' in action) this.#service.answer = this.#filled(action.graph);
    else if ('await' in action) await this.#await(action.await);
    else if ('restart' in action) await this.#restart(action.restart);
    else await this.#write(action);
    this.#observer.lastChangeMs = Date.now();
  }

  async #write(
    action: Extract<Action, { apply: unknown } | { patch: unknown } | { delete: unknown } | { spec: unknown }>,
  ): Promise<void> {
    const { client } = this.#cluster.server;
    if ('apply' in action) {
      const object = this.#filled(action.apply);
      const write = () => client.apply(asObject(object), { fieldManager, force: true });
      await this.#observer.ownWrite(keyOf(object), false, write);
    } else if ('delete' in action) {
      await this.#observer.ownWrite(keyOfTarget(action.delete), true, () => client.delete(action.delete));
    } else if ('spec' in action) {
      await client.patch(clusterVersion, { spec: this.#filled(action.spec) }, { fieldManager });
    } else {
      const { subresource, patch: target } = action;
      const options = subresource === undefined ? { fieldManager } : { fieldManager, subresource };
      const write = () => client.patch(target, this.#filled(action.merge), options);
      await this.#observer.ownWrite(keyOfTarget(target), false, write);
    }
  }

  async #report(report: OperatorReport): Promise<void> {
    const { client } = this.#cluster.server;
    const { stateLimitMs: timeoutMs } = this.#implementation;
    const target = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterOperator', name: report.report };
    // Only then does the engine write no status any more, which would conflict.
    await client.until(target, (object) => JSON.stringify(object ?? {}).includes('"relatedObjects"'), { timeoutMs });
    await reportHealth(client, report);
  }

  async #restart(name: string): Promise<void> {
    await this.close();
    // As if it had expired: the one that was killed does not release it.
    const leases = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'openshift-cluster-version' };
    const { client } = this.#cluster.server;
    for (const { metadata } of await client.list(leases)) {
      await client.delete({ ...leases, name: metadata.name ?? '' });
    }
    await this.#start(name);
  }

  async #isReached(state: State): Promise<boolean> {
    const { client } = this.#cluster.server;
    const target: Target = 'of' in state ? state.of : clusterVersion;
    const found = (await client.find(target)) as unknown as JsonObject | undefined;
    if ('isAbsent' in state) return found === undefined;
    if (found === undefined) return false;
    if ('condition' in state) return isCondition(found, state);
    if ('history' in state) return isHistory(found, state.history);
    const text = JSON.stringify(found);
    return 'has' in state ? text.includes(state.has) : !text.includes(state.lacks);
  }

  async #isAllReached(states: readonly State[]): Promise<boolean> {
    for (const state of states) if (!(await this.#isReached(this.#filled(state)))) return false;
    return true;
  }

  async #await(state: State): Promise<void> {
    const endMs = Date.now() + this.#implementation.stateLimitMs;
    while (!(await this.#isReached(this.#filled(state)))) {
      await this.#engine?.assertAlive();
      if (Date.now() > endMs) throw new Error(`not reached: ${JSON.stringify(state)}`);
      await pause(50);
    }
  }

  #isQuiet(): boolean {
    return Date.now() - this.#observer.lastChangeMs >= this.#implementation.quietMs;
  }

  async #rest(rest: Rest): Promise<void> {
    const endMs = Date.now() + expectedLimitMs;
    let snapshot = await this.#settled(rest);
    while (!this.#isExpected([...this.snapshots, snapshot]) && Date.now() < endMs) {
      await pause(recordAgainMs);
      snapshot = this.#record(rest);
    }
    this.snapshots.push(snapshot);
    this.#before = this.#texts();
    this.#eventsBefore = new Set(this.#observer.events);
    this.#observer.writes = [];
  }

  async #settled(rest: Rest): Promise<Snapshot> {
    const { until = [] } = rest;
    const states = Array.isArray(until) ? (until as readonly State[]) : [until as State];
    const stateEndMs = Date.now() + this.#implementation.stateLimitMs;
    while (!(await this.#isAllReached(states)) && Date.now() < stateEndMs) {
      await this.#engine?.assertAlive();
      await pause(50);
    }
    const endMs = Date.now() + restLimitMs;
    while (!this.#isQuiet() && Date.now() < endMs) await pause(100);
    const isRestless = !this.#isQuiet();
    const isReached = await this.#isAllReached(states);
    return {
      ...this.#record(rest),
      ...(isRestless ? { restless: true as const } : {}),
      ...(isReached ? {} : { unreached: true as const }),
    };
  }

  #texts(): Map<string, string> {
    return new Map([...this.#observer.objects].map(([key, object]) => [key, JSON.stringify(object)]));
  }

  #changes(): Record<string, JsonObject | null> {
    const now = [...this.#observer.objects];
    const changed = now.filter(([key, object]) => this.#before.get(key) !== JSON.stringify(object));
    const deleted = [...this.#before.keys()].filter((key) => !this.#observer.objects.has(key));
    const all = [...changed, ...deleted.map((key): [string, null] => [key, null])];
    return Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** With `$image/NAME` for pull specs. */
  #named(snapshot: Snapshot): Snapshot {
    let text = JSON.stringify(snapshot);
    for (const [name, { image, folder }] of this.#places) {
      text = text
        .replaceAll(folder, `<folder of ${name}>`)
        .replaceAll(image, `$image/${name}`)
        .replaceAll(image.replace(/^.*@/, ''), `<digest of ${name}>`);
    }
    return JSON.parse(text) as Snapshot;
  }

  #record({ rest: label, isOrdered }: Rest): Snapshot {
    const { clusterVersion: seen, events, writes } = this.#observer;
    return this.#named({
      label,
      clusterVersion: seen,
      objects: this.#changes(),
      events: [...events].filter((line) => !this.#eventsBefore.has(line)).toSorted(),
      writes: writesByNode(writes, this.#nodes),
      ...(isOrdered === true ? { levels: levelsOf(writes, this.#nodes) } : {}),
    });
  }
}

/** Plays a scenario and records it.
 *  @throws Error naming the scenario and the action that failed */
export async function playScenario(
  implementation: Implementation,
  scenario: Scenario,
  isExpected: Expectation = () => true,
): Promise<Recording> {
  await using cluster = await openCluster(scenario, implementation.crds);
  await using service = new UpdateService();
  await service.open();
  const places = new Map<string, PayloadPlace>();
  for (const [name, payload] of Object.entries(scenario.payloads)) {
    places.set(name, await writePayload(name, payload, cluster.payloadFolder));
  }
  using observer = new Observer(cluster.server, (manager) => implementation.isManager(manager));
  using _operators = scenario.hasHealthyOperators === true ? simulateOperators(cluster.server, scenario) : undefined;
  const run = new Run({ scenario, implementation }, { cluster, observer, service, places }, isExpected);
  try {
    await run.open();
    for (const action of scenario.actions) {
      try {
        await run.act(action);
      } catch (thrown) {
        const cause = errorMessage(thrown);
        throw new Error(`${scenario.id}: ${JSON.stringify(action).slice(0, 300)}: ${cause}`, { cause: thrown });
      }
    }
  } finally {
    await run.close();
  }
  return { title: scenario.title, snapshots: run.snapshots };
}
