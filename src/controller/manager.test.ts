import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BareCluster, eventually, openBareCluster } from '../../test/support/index.ts';
import { silentLogger, systemClock, TerminalError } from '../base/index.ts';
import { conditionsOf, type KindCache, type KubeObject, NoKindMatch, namespacedName } from '../kube/index.ts';
import {
  createManager,
  defineController,
  type Manager,
  type ManagerOptions,
  type ReconcileRun,
  requeueAfter,
  StatusWriter,
  type Step,
} from './index.ts';

const user = { fieldManager: 'test' };
const apiVersion = 'demo.example.com/v1';
/** Namespaced. */
const widgetKind = { apiVersion, kind: 'Widget' };
/** Cluster-scoped. */
const depotKind = { apiVersion, kind: 'Depot' };
const configMapKind = { apiVersion: 'v1', kind: 'ConfigMap' };
const permissions = {};

let cluster: BareCluster;
let stop: AbortController;
let managers: Manager[];

function definition(kind: string, plural: string, scope: string): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.demo.example.com` },
    spec: { group: 'demo.example.com', scope, names: { kind, plural }, versions: [version] },
  };
}

beforeAll(async () => {
  cluster = await openBareCluster();
  await cluster.kube.create(definition('Widget', 'widgets', 'Namespaced'), user);
  await cluster.kube.create(definition('Depot', 'depots', 'Cluster'), user);
  for (const { kind } of [widgetKind, depotKind]) await eventually(() => cluster.kube.list({ apiVersion, kind }));
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

beforeEach(() => {
  stop = new AbortController();
  managers = [];
});

afterEach(async () => {
  stop.abort();
  await Promise.all(managers.map((manager) => manager.whenStopped()));
});

let count = 0;
/** A namespace of its own for each test. */
async function namespace(): Promise<string> {
  count += 1;
  const name = `n${count}`;
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, user);
  return name;
}

function openManager(election?: ManagerOptions['election']): Manager {
  const runtime = { kube: cluster.kube, clock: systemClock, log: silentLogger(), signal: stop.signal };
  const manager = createManager({ ...runtime, ...(election === undefined ? {} : { election }) });
  managers.push(manager);
  return manager;
}

interface DemoContext {
  readonly widgets: KindCache;
  readonly manager: Manager;
  readonly depots: KindCache;
}

interface DemoRun extends ReconcileRun {
  readonly context: DemoContext;
  readonly status: StatusWriter;
}

function contextOf(manager: Manager): DemoContext {
  return { manager, widgets: manager.cache(widgetKind), depots: manager.cache(depotKind) };
}

function begin(context: DemoContext, object: KubeObject): DemoRun {
  const { kube, clock } = context.manager;
  return { context, object, status: new StatusWriter(object, { kube, clock, fieldManager: 'demo' }) };
}

const ensureConfigMap: Step<DemoRun> = async ({ object }, { signal }) => {
  const { namespace: place, name } = namespacedName(object);
  const owner = { ...widgetKind, name, uid: object.metadata.uid ?? '', controller: true };
  const metadata = { namespace: place, name, ownerReferences: [owner] };
  await cluster.kube.apply({ ...configMapKind, metadata }, { fieldManager: 'demo', force: true, signal });
  return undefined;
};

const reportReady: Step<DemoRun> = async (run) => {
  await Promise.resolve();
  const message = run.context.depots
    .values()
    .map(({ metadata }) => metadata.name)
    .join(' ');
  run.status.set(run, [{ type: 'Ready', status: 'True', reason: 'Made', message }]);
  return undefined;
};

const widgetController = defineController<DemoContext, DemoRun>({
  name: 'widget',
  for: widgetKind,
  owns: [{ ...configMapKind, isMetadataOnly: true }],
  watches: ({ widgets }) => [
    { target: { ...depotKind, labelSelector: 'open=yes' }, requestsFor: () => widgets.values().map(namespacedName) },
  ],
  begin,
  steps: [ensureConfigMap, reportReady],
  permissions,
});

async function createWidget(place: string, name: string): Promise<void> {
  await cluster.kube.create({ ...widgetKind, metadata: { namespace: place, name } }, user);
}

async function readyOf(place: string, name: string): Promise<string | undefined> {
  const object = await cluster.kube.get({ ...widgetKind, namespace: place, name });
  return conditionsOf(object).find(({ type }) => type === 'Ready')?.message;
}

test('a controller of a namespaced kind restores owned objects in their own namespace', async () => {
  const [east, west] = [await namespace(), await namespace()];
  await createWidget(east, 'twin');
  const manager = openManager();
  manager.add(widgetController, { context: contextOf(manager), workers: 2 });
  await manager.start();
  await createWidget(west, 'twin');
  const made = (place: string) => cluster.kube.get({ ...configMapKind, namespace: place, name: 'twin' });
  const before = await eventually(() => made(west));
  await eventually(() => made(east));
  await cluster.kube.delete({ ...configMapKind, namespace: west, name: 'twin' });
  await eventually(async () => expect((await made(west)).metadata.uid).not.toBe(before.metadata.uid));
  await eventually(async () => expect(await readyOf(west, 'twin')).toBeDefined());
});

test('a change of a watched cluster-scoped object that the selector matches reconciles those that it concerns', async () => {
  const place = await namespace();
  await createWidget(place, 'watching');
  const manager = openManager();
  manager.add(widgetController, { context: contextOf(manager), workers: 1 });
  await manager.start();
  await eventually(async () => expect(await readyOf(place, 'watching')).toBeDefined());
  const metadata = { name: 'harbour', labels: { open: 'yes' } };
  await cluster.kube.create({ ...depotKind, metadata }, user);
  await eventually(async () => expect(await readyOf(place, 'watching')).toContain('harbour'));
});

test('controllers share the cache of a kind, and metadata is taken from whole objects', () => {
  const manager = openManager();
  const whole = manager.cache(configMapKind);
  expect(manager.cache({ ...configMapKind })).toBe(whole);
  expect(manager.cache({ ...configMapKind, isMetadataOnly: true })).toBe(whole);
  expect(manager.cache({ ...configMapKind, labelSelector: 'a=b' })).not.toBe(whole);
  expect(manager.cache({ ...configMapKind, namespace: 'default' })).not.toBe(whole);
  expect(manager.eventRecorder('demo')).toBe(manager.eventRecorder('demo'));
});

test('a process that does not lead reads everything and writes nothing, except for what runs on every replica', async () => {
  const place = await namespace();
  await createWidget(place, 'waiting');
  const leading = Promise.withResolvers<boolean>();
  let isLeading = false;
  const manager = openManager({ isLeading: () => isLeading, whenLeading: leading.promise });
  const order: string[] = [];
  const whileStandby = async (signal: AbortSignal): Promise<void> => {
    order.push('standby');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    order.push('standby ended');
  };
  const beforeWork = (): Promise<void> => Promise.resolve().then(() => void order.push('work begins'));
  manager.add(widgetController, { context: contextOf(manager), workers: 1, whileStandby, beforeWork });
  const everywhere = new Set<string>();
  const reader = defineController<DemoContext, DemoRun>({
    ...widgetController,
    name: 'reader',
    steps: [],
    begin: (_, { metadata }) => void everywhere.add(metadata.name ?? ''),
    runsOnEveryReplica: true,
  });
  manager.add(reader, { context: contextOf(manager), workers: 1 });
  const started = manager.start();
  await manager.whenSynced;
  await eventually(() => expect(everywhere).toContain('waiting'));
  expect(manager.health()).toContainEqual({ name: 'widget', state: 'standby' });
  expect(await readyOf(place, 'waiting')).toBeUndefined();
  isLeading = true;
  leading.resolve(true);
  await started;
  await eventually(async () => expect(await readyOf(place, 'waiting')).toBeDefined());
  expect(order).toEqual(['standby', 'standby ended', 'work begins']);
  expect(manager.health()).toContainEqual({ name: 'widget', state: 'running' });
});

test('the status of a reconcile that fails is written, and one that asks for it is requeued', async () => {
  const place = await namespace();
  await createWidget(place, 'failing');
  let times = 0;
  const again: Step<DemoRun> = async (run) => {
    await Promise.resolve();
    if (run.object.metadata.namespace !== place) return 'stop';
    times += 1;
    if (times === 1) requeueAfter(run, 1);
    return times === 1 ? 'stop' : undefined;
  };
  const refuse: Step<DemoRun> = async (run) => {
    await Promise.resolve();
    run.status.set(run, [{ type: 'Ready', status: 'False', reason: 'Refused', message: 'of no use' }]);
    throw new TerminalError('Refused', 'of no use');
  };
  const manager = openManager();
  const failing = defineController<DemoContext, DemoRun>({ ...widgetController, owns: [], steps: [again, refuse] });
  manager.add(failing, { context: contextOf(manager), workers: 1 });
  await manager.start();
  await eventually(async () => expect(await readyOf(place, 'failing')).toBe('of no use'));
});

const missing = defineController<DemoContext, DemoRun>({
  ...widgetController,
  name: 'missing',
  for: { apiVersion, kind: 'Missing' },
  owns: [],
});

test('a controller works without a kind that it watches, where it may be missing', async () => {
  const manager = openManager();
  const seen: string[] = [];
  manager.add(
    defineController<Record<string, never>, ReconcileRun>({
      name: 'depots',
      for: depotKind,
      watches: () => [{ target: { apiVersion, kind: 'Missing' }, requestsFor: () => [], isOptional: true }],
      begin: (_context, object) => ({ object }),
      steps: [
        async ({ object }) => {
          await Promise.resolve();
          seen.push(object.metadata.name ?? '');
          return undefined;
        },
      ],
      permissions,
    }),
    { context: {}, workers: 1 },
  );
  await manager.start();
  expect(manager.health()).toEqual([{ name: 'depots', state: 'running' }]);
  await cluster.kube.create({ ...depotKind, metadata: { name: 'without-missing' } }, user);
  await eventually(() => expect(seen).toContain('without-missing'));
});

test('a kind that the cluster lacks stops its own controller where it is optional, else the start', async () => {
  const manager = openManager();
  manager.add({ ...missing, isOptional: true }, { context: contextOf(manager), workers: 1 });
  manager.add(widgetController, { context: contextOf(manager), workers: 1 });
  await manager.start();
  expect(manager.health()).toEqual([
    { name: 'missing', state: 'unavailable' },
    { name: 'widget', state: 'running' },
  ]);
  const strict = openManager();
  strict.add(missing, { context: contextOf(strict), workers: 1 });
  await expect(strict.start()).rejects.toThrow(NoKindMatch);
});

test('a manager that stops lets the reconcile under way end, and then cleans up', async () => {
  const place = await namespace();
  await createWidget(place, 'last');
  const entered = Promise.withResolvers<void>();
  const order: string[] = [];
  const slow: Step<DemoRun> = async (run, { signal }) => {
    if (run.object.metadata.namespace !== place) return 'stop';
    entered.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    order.push('reconciled');
    return undefined;
  };
  const manager = openManager();
  const afterWork = (): Promise<void> => Promise.resolve().then(() => void order.push('cleaned up'));
  const slowController = defineController<DemoContext, DemoRun>({ ...widgetController, owns: [], steps: [slow] });
  manager.add(slowController, { context: contextOf(manager), workers: 50, afterWork });
  await manager.start();
  await entered.promise;
  stop.abort();
  await manager.whenStopped();
  expect(order).toEqual(['reconciled', 'cleaned up']);
  expect(manager.health()).toEqual([{ name: 'widget', state: 'stopped' }]);
});

test('a failure on standby fails the start once the process leads, not earlier', async () => {
  const leading = Promise.withResolvers<boolean>();
  const manager = openManager({ isLeading: () => false, whenLeading: leading.promise });
  const failed = Promise.withResolvers<void>();
  const whileStandby = async (): Promise<void> => {
    await Promise.resolve();
    failed.resolve();
    throw new TerminalError('Broken', 'the copy is broken');
  };
  manager.add(widgetController, { context: contextOf(manager), workers: 1, whileStandby });
  const started = manager.start();
  await failed.promise;
  // An unhandled rejection would be reported by now.
  await new Promise((resolve) => setImmediate(resolve));
  leading.resolve(true);
  await expect(started).rejects.toThrow('the copy is broken');
});
