import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiServer, type KubeObject, type Manifest, startApiServer } from '../../../apiserver/index.ts';
import { type JsonObject, objectAt, textAt } from '../../../src/base/index.ts';
import { canonicalObject } from './canonical.ts';
import { referenceCrds, referenceObjects } from './reference-objects.ts';
import type { PoolAction, PoolImplementation, PoolScenario, PoolSnapshot } from './scenario.ts';

const restLimitMs = 30_000;
const expectedLimitMs = 20_000;
const fieldManager = 'scenario';
const own = [
  'drain.platform_drainrules',
  'machine.openshift.io_machines',
  'machineconfiguration.openshift.io_machineconfigs',
  'machineconfiguration.openshift.io_machineconfigpools',
];
const crdFiles = own.map((name) => join(import.meta.dirname, `../../../crds/machines/${name}.yaml`));
const apiVersions: Readonly<Record<string, string>> = {
  Node: 'v1',
  Pod: 'v1',
  MachineConfig: 'machineconfiguration.openshift.io/v1',
  MachineConfigPool: 'machineconfiguration.openshift.io/v1',
  ControllerConfig: 'machineconfiguration.openshift.io/v1',
};

/** What a cluster shows, and the names of rendered configurations by the order in which they came. */
class Recorder implements Disposable {
  readonly #subscription: Disposable;
  readonly objects: Map<string, JsonObject> = new Map();
  readonly events: Set<string> = new Set();
  readonly rendered: string[] = [];
  lastChangeMs: number = Date.now();

  constructor({ cluster }: ApiServer) {
    this.#subscription = cluster.subscribe(({ type, object }) => this.#take(type, object as unknown as JsonObject));
  }

  #take(type: string, object: JsonObject): void {
    const [kind, name] = [textAt(object, 'kind'), textAt(objectAt(object, 'metadata'), 'name')];
    if (kind === 'Event') return this.#takeEvent(object);
    const shown = canonicalObject(object);
    if (shown === undefined) return;
    if (name.startsWith('rendered-') && !this.rendered.includes(name)) this.rendered.push(name);
    const key = `${kind} ${name}`;
    const before = JSON.stringify(this.objects.get(key));
    if (type === 'DELETED') this.objects.delete(key);
    else this.objects.set(key, shown);
    if (before !== JSON.stringify(this.objects.get(key))) this.lastChangeMs = Date.now();
  }

  #takeEvent(event: JsonObject): void {
    const about = objectAt(event, 'involvedObject') ?? {};
    const kind = textAt(about, 'kind');
    if (kind !== 'MachineConfigPool' && kind !== 'Node') return;
    const message = textAt(event, 'message');
    this.events.add(
      `${kind} ${textAt(about, 'name')}: ${textAt(event, 'type')} ${textAt(event, 'reason')}: ${message}`,
    );
  }

  /** The text with `<1>` for the first rendered configuration. */
  named(text: string): string {
    const versions = /\(release version: [^)]*\)/g;
    const all = this.rendered.entries();
    return [...all]
      .reduce((shown, [index, name]) => shown.replaceAll(name, `<${index + 1}>`), text)
      .replaceAll(versions, '(versions)');
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}

async function create({ client }: ApiServer, object: JsonObject): Promise<void> {
  const created = await client.create(object as unknown as KubeObject, { fieldManager });
  const { status } = object;
  if (status === undefined) return;
  // Whatever controllers have written meanwhile, such as taints of a Node.
  await client.patch(created, { status }, { subresource: 'status', fieldManager });
}

async function act(server: ApiServer, action: Exclude<PoolAction, { rest: string }>): Promise<void> {
  if ('create' in action) return await create(server, action.create);
  const { kind } = 'patch' in action ? action.patch : action.delete;
  const place = { apiVersion: apiVersions[kind] ?? 'v1', ...('patch' in action ? action.patch : action.delete) };
  if ('delete' in action) {
    await server.client.delete(place);
    return;
  }
  const options =
    action.subresource === undefined ? { fieldManager } : { fieldManager, subresource: action.subresource };
  await server.client.patch(place, action.merge, options);
}

interface Before {
  readonly objects: ReadonlyMap<string, string>;
  readonly events: ReadonlySet<string>;
}

function snapshot(label: string, recorder: Recorder, before: Before): PoolSnapshot {
  const changed = [...recorder.objects].filter(([key, object]) => before.objects.get(key) !== JSON.stringify(object));
  const deleted = [...before.objects.keys()]
    .filter((key) => !recorder.objects.has(key))
    .map((key): [string, null] => [key, null]);
  const events = [...recorder.events].filter((line) => !before.events.has(line)).toSorted();
  const text = JSON.stringify({ label, objects: Object.fromEntries([...changed, ...deleted]), events });
  const named = JSON.parse(recorder.named(text)) as PoolSnapshot;
  const objects = Object.entries(named.objects).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { label, objects: Object.fromEntries(objects), events: named.events.toSorted() };
}

async function rest(recorder: Recorder, quietMs: number): Promise<void> {
  const endMs = Date.now() + restLimitMs;
  recorder.lastChangeMs = Date.now();
  while (Date.now() - recorder.lastChangeMs < quietMs && Date.now() < endMs) await pause(100);
}

/** Plays a scenario on a cluster of its own, and records it. A point of rest that is not as expected is waited for, for a while. */
export async function playPools(
  implementation: PoolImplementation,
  scenario: PoolScenario,
  isExpected: (point: number, shown: PoolSnapshot) => boolean = () => true,
): Promise<readonly PoolSnapshot[]> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-pools-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const kubeconfigPath = join(folder, 'kubeconfig');
  const crds = [...crdFiles, ...referenceCrds] as readonly Manifest[];
  const server = stack.use(await startApiServer({ crds, kubeconfigPath, simulation: false }));
  for (const object of referenceObjects) await create(server, object);
  const recorder = stack.use(new Recorder(server));
  stack.use(await implementation.start(kubeconfigPath));
  const snapshots: PoolSnapshot[] = [];
  let before: Before = { objects: new Map(), events: new Set() };
  for (const action of scenario.actions) {
    const text = recorder.rendered.reduce(
      (all, name, index) => all.replaceAll(`<${index + 1}>`, name),
      JSON.stringify(action),
    );
    const named = JSON.parse(text) as PoolAction;
    if (!('rest' in named)) {
      await act(server, named);
      continue;
    }
    await rest(recorder, implementation.quietMs);
    const point = snapshots.length;
    let shown = snapshot(named.rest, recorder, before);
    // On a busy machine what follows may come late.
    for (const endMs = Date.now() + expectedLimitMs; !isExpected(point, shown) && Date.now() < endMs; ) {
      await pause(100);
      shown = snapshot(named.rest, recorder, before);
    }
    snapshots.push(shown);
    before = {
      objects: new Map([...recorder.objects].map(([key, object]) => [key, JSON.stringify(object)])),
      events: new Set(recorder.events),
    };
  }
  return snapshots;
}
