import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiServer, type KubeObject, type Manifest, startApiServer } from '../../apiserver/index.ts';
import { errorMessage, type JsonObject, objectAt, textAt } from '../../src/base/index.ts';
import { eventually } from '../support/index.ts';
import { nodeOf } from './objects.ts';
import { Observer } from './observer.ts';
import { ScenarioProvider } from './provider.ts';
import type { Action, EngineStart, Implementation, Recording, Scenario, Snapshot, State } from './scenario.ts';

/** For quiet. What changes for longer is a loop. */
const restLimitMs = 30_000;
/** A state that is not reached by then is taken as never reached. */
const stateLimitMs = 30_000;
/** A point of rest that is not as expected is recorded once more for so long: on a busy machine what follows may come late. */
const expectedLimitMs = 30_000;
const fieldManager = 'scenario';
const namespace = 'machines';
const crds = [
  'drain.platform_drainrules',
  'machine.openshift.io_machines',
  'machine.openshift.io_machinesets',
  'machine.openshift.io_machinehealthchecks',
].map((name) => join(import.meta.dirname, `../../crds/machines/${name}.yaml`));

/** Whether what was shown until now is as it should be: nothing more is waited for then. */
export type Expectation = (snapshots: readonly Snapshot[]) => boolean;

const asObject = (object: JsonObject): KubeObject => object as unknown as KubeObject;

interface Parts {
  readonly server: ApiServer;
  readonly observer: Observer;
  readonly provider: ScenarioProvider;
  readonly controllers: Controllers;
  readonly quietMs: number;
  readonly isExpected: Expectation;
}

/** The controllers of an implementation, which can be started again. */
class Controllers implements AsyncDisposable {
  readonly #implementation: Implementation;
  readonly #start: EngineStart;
  #running: AsyncDisposable | undefined;

  constructor(implementation: Implementation, start: EngineStart) {
    this.#implementation = implementation;
    this.#start = start;
  }

  async start(): Promise<void> {
    await this[Symbol.asyncDispose]();
    this.#running = await this.#implementation.start(this.#start);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.[Symbol.asyncDispose]();
  }
}

async function create({ client }: ApiServer, object: JsonObject): Promise<void> {
  const created = await client.create(asObject(object), { fieldManager });
  const { status } = object;
  if (status === undefined) return;
  // Whatever controllers have written meanwhile, such as taints of a Node.
  await client.patch(created, { status }, { subresource: 'status', fieldManager });
}

/** One run of one scenario. */
class Run {
  readonly #parts: Parts;
  #before = new Map<string, string>();
  #eventsBefore: ReadonlySet<string> = new Set();
  #callsBefore = 0;
  readonly snapshots: Snapshot[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async act(action: Action): Promise<void> {
    const { server, observer, provider, controllers } = this.#parts;
    const { client } = server;
    if ('rest' in action) return await this.#rest(action.rest, action.until);
    if ('await' in action) await this.#await(action.await);
    else if ('provider' in action) provider.setAnswer(action.provider, action.answers);
    else if ('apply' in action) await create(server, action.apply);
    else if ('delete' in action) await client.delete(action.delete);
    else if ('restart' in action) await controllers.start();
    else {
      const { subresource } = action;
      const options = subresource === undefined ? { fieldManager } : { fieldManager, subresource };
      await client.patch(action.patch, action.merge, options);
    }
    observer.lastChangeMs = Date.now();
  }

  #machines(phase?: string): number {
    const all = [...this.#parts.observer.objects].filter(([key]) => key.startsWith('Machine '));
    return all.filter(([, object]) => phase === undefined || textAt(objectAt(object, 'status'), 'phase') === phase)
      .length;
  }

  async #isReached(state: State): Promise<boolean> {
    if ('machines' in state) return this.#machines(state.phase) === state.machines;
    if ('called' in state) return this.#parts.provider.calls.includes(state.called);
    const found = await this.#parts.server.client.find(state.of);
    if ('isAbsent' in state) return found === undefined;
    const text = JSON.stringify(found ?? {});
    return 'has' in state ? text.includes(state.has) : found !== undefined && !text.includes(state.lacks);
  }

  async #await(state: State | undefined): Promise<boolean> {
    const endMs = Date.now() + stateLimitMs;
    while (state !== undefined && !(await this.#isReached(state))) {
      if (Date.now() > endMs) return false;
      await pause(50);
    }
    return true;
  }

  async #rest(label: string, until: State | undefined): Promise<void> {
    const { observer, quietMs, isExpected } = this.#parts;
    const isReached = await this.#await(until);
    const endMs = Date.now() + restLimitMs;
    while (Date.now() - observer.lastChangeMs < quietMs && Date.now() < endMs) await pause(100);
    const record = (): Snapshot => ({ ...this.#record(label), ...(isReached ? {} : { unreached: true as const }) });
    let snapshot = record();
    const expectedMs = Date.now() + expectedLimitMs;
    while (!isExpected([...this.snapshots, snapshot]) && Date.now() < expectedMs) {
      await pause(500);
      snapshot = record();
    }
    this.snapshots.push(snapshot);
    this.#before = this.#texts();
    this.#eventsBefore = new Set(observer.events);
    this.#callsBefore = this.#parts.provider.calls.length;
  }

  #texts(): Map<string, string> {
    return new Map([...this.#parts.observer.objects].map(([key, object]) => [key, JSON.stringify(object)]));
  }

  #record(label: string): Snapshot {
    const { observer, provider } = this.#parts;
    const changed = [...observer.objects].filter(([key, object]) => this.#before.get(key) !== JSON.stringify(object));
    const deleted = [...this.#before.keys()].filter((key) => !observer.objects.has(key));
    const all = [...changed, ...deleted.map((key): [string, null] => [key, null])];
    let text = JSON.stringify({
      label,
      objects: Object.fromEntries(all),
      events: [...observer.events].filter((line) => !this.#eventsBefore.has(line)),
      calls: [...new Set(provider.calls.slice(this.#callsBefore))],
    });
    for (const [name, shown] of observer.generated) text = text.replaceAll(name, shown);
    const named = JSON.parse(text) as Snapshot;
    const objects = Object.entries(named.objects).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return { ...named, objects: Object.fromEntries(objects), events: named.events.toSorted() };
  }
}

/** A Node for every machine that has an instance, as kubelets would register. */
function joinNodes({ cluster, client }: ApiServer): Disposable {
  const joined = new Set<string>();
  return cluster.subscribe(({ object }) => {
    const machine = object as unknown as JsonObject;
    if (textAt(machine, 'kind') !== 'Machine') return;
    const name = textAt(objectAt(machine, 'metadata'), 'name');
    const id = textAt(objectAt(machine, 'spec'), 'providerID');
    if (id === '' || joined.has(name)) return;
    joined.add(name);
    void create({ client } as ApiServer, nodeOf(name)).catch(() => undefined);
  });
}

/** Plays a scenario and records it.
 *  @throws Error naming the scenario and the action that failed */
export async function playScenario(
  implementation: Implementation,
  scenario: Scenario,
  isExpected: Expectation = () => true,
): Promise<Recording> {
  await using stack = new AsyncDisposableStack();
  const workFolder = await mkdtemp(join(tmpdir(), 'longshore-machines-'));
  stack.defer(() => rm(workFolder, { recursive: true, force: true }));
  const kubeconfigPath = join(workFolder, 'kubeconfig');
  const server = stack.use(await startApiServer({ crds: crds as readonly Manifest[], kubeconfigPath }));
  await server.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  // That a server has a Node of its own is no change of the scenario.
  await eventually(async () => {
    const node = await server.client.find({ apiVersion: 'v1', kind: 'Node', name: 'longshore' });
    if (!JSON.stringify(node?.status ?? {}).includes('KubeletReady'))
      throw new Error('the Node of the server is not ready');
  });
  const provider = stack.use(new ScenarioProvider());
  await provider.open();
  const observer = stack.use(new Observer(server));
  if (scenario.hasNodes === true) stack.use(joinNodes(server));
  for (const object of scenario.objects ?? []) await create(server, object);
  const start = { kubeconfigPath, actuatorUrl: provider.url, workFolder };
  const controllers = stack.use(new Controllers(implementation, start));
  await controllers.start();
  const run = new Run({ server, observer, provider, controllers, quietMs: implementation.quietMs, isExpected });
  for (const action of scenario.actions) {
    try {
      await run.act(action);
    } catch (thrown) {
      const text = `${scenario.id}: ${JSON.stringify(action).slice(0, 300)}: ${errorMessage(thrown)}`;
      const log = await readFile(join(workFolder, 'reference.log'), 'utf8').catch(() => '');
      throw new Error(`${text} ${log.slice(-1000)}`, { cause: thrown });
    }
  }
  return { title: scenario.title, snapshots: run.snapshots };
}
