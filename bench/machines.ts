import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiServer, type KubeObject, type Manifest, startApiServer } from '../apiserver/index.ts';
import { machineLabels, machineResource } from '../src/api/index.ts';
import { type JsonObject, mapLimit } from '../src/base/index.ts';
import { startChild } from './child.ts';
import { compileFiles } from './compiled.ts';
import { cpuSecondsOf, peakMebibytesOf } from './process-usage.ts';
import { countRequests, type RequestCounter, requestsBetween } from './request-counter.ts';
import type { Measurement } from './table.ts';

/** Of each, a fifth is deleted at once. */
const counts = [250, 500, 1000] as const;
const podsOfBudget = 10;
const lanes = 16;
const deadlineMs = 15 * 60_000;
const namespace = 'machines';
const by = { fieldManager: 'bench' };
const crds = ['drain.platform_drainrules', 'machine.openshift.io_machines', 'machine.openshift.io_machinesets'].map(
  (name) => join(import.meta.dirname, `../crds/machines/${name}.yaml`),
);

/** What one machine of many cost. */
interface Cost {
  readonly seconds: number;
  readonly cpuMsEach: number;
  readonly requestsEach: number;
  readonly requests: ReadonlyMap<string, number>;
}

interface Measured {
  readonly count: number;
  readonly joining: Cost;
  readonly deletion: Cost;
  readonly peakMebibytes: number;
}

interface Stage {
  readonly server: ApiServer;
  readonly pid: number;
  readonly counter: RequestCounter;
  readonly count: number;
}

const nameOf = (index: number): string => `m${index}`;
const indexes = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const object = (value: JsonObject): KubeObject => value as unknown as KubeObject;

async function until(what: string, isReached: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + deadlineMs;
  while (!(await isReached())) {
    if (Date.now() > endMs) throw new Error(`after ${deadlineMs / 1000} s not reached: ${what}`);
    await pause(200);
  }
}

async function costOf(stage: Stage, each: number, work: () => Promise<void>): Promise<Cost> {
  const { pid, counter } = stage;
  const [startMs, cpuSeconds, before] = [performance.now(), cpuSecondsOf(pid), counter.counts()];
  await work();
  const requests = requestsBetween(before, counter.counts());
  const total = [...requests.values()].reduce((sum, one) => sum + one, 0);
  return {
    seconds: (performance.now() - startMs) / 1000,
    cpuMsEach: ((cpuSecondsOf(pid) - cpuSeconds) * 1000) / each,
    requestsEach: total / each,
    requests,
  };
}

/** A machine, and the Node that its instance would register, whose simulated kubelet runs pods. */
async function createMachine({ client }: ApiServer, index: number): Promise<void> {
  const { apiVersion, kind } = machineResource;
  const name = nameOf(index);
  const labels = { [machineLabels.cluster]: 'bench' };
  const spec = { providerSpec: { value: {} } };
  await client.create(object({ apiVersion, kind, metadata: { namespace, name, labels }, spec }), by);
  const annotations = { 'apiserver.longshore.dev/simulate': 'node' };
  const capacity = { cpu: '8', memory: '32Gi', pods: '110' };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }];
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, annotations } };
  const created = await client.create(object({ ...node, spec: { providerID: `memory:///${name}` } }), by);
  const status = { capacity, allocatable: capacity, conditions };
  await client.update({ ...created, status } as never, { ...by, subresource: 'status' });
}

function isRunning(machine: KubeObject): boolean {
  return (machine as unknown as { status?: { phase?: string } }).status?.phase === 'Running';
}

async function createMachines({ server, count }: Stage): Promise<void> {
  await mapLimit(indexes(count), lanes, (index) => createMachine(server, index));
  await until(`${count} machines run`, async () => {
    const machines = await server.client.list({ ...machineResource, namespace });
    return machines.filter(isRunning).length === count;
  });
}

/** Each budget lets two of its ten pods go at once; that of the first machine lets none go. */
async function createPods({ server: { client }, count }: Stage): Promise<void> {
  const spec = { containers: [{ name: 'main', image: 'example.org/web' }] };
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
  await mapLimit(indexes(count / podsOfBudget), lanes, async (index) => {
    const app = `app-${index}`;
    const [labels, metadata] = [{ app }, { namespace, name: app }];
    const selector = { matchLabels: labels };
    const template = { metadata: { labels }, spec };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
    await client.create(object({ ...deployment, spec: { replicas: podsOfBudget, selector, template } }), by);
    await client.create(object({ ...budget, metadata, spec: { maxUnavailable: 2, selector } }), by);
  });
  const labels = { app: 'stuck' };
  const metadata = { namespace, name: 'stuck' };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, labels } };
  await client.create(object({ ...pod, spec: { ...spec, nodeName: nameOf(0) } }), by);
  await client.create(
    object({ ...budget, metadata, spec: { minAvailable: 1, selector: { matchLabels: labels } } }),
    by,
  );
  await until(`${count} pods are ready`, async () => {
    const budgets = await client.list({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace });
    const healthy = budgets.map((one) => (one as { status?: { currentHealthy?: number } }).status?.currentHealthy ?? 0);
    return healthy.reduce((sum, one) => sum + one, 0) === count + 1;
  });
}

/** All that are deleted end but the one that is stuck. */
async function deleteMachines({ server, count }: Stage): Promise<void> {
  const leaving = indexes(count / 5);
  const place = { ...machineResource, namespace };
  await mapLimit(leaving, lanes, (index) => server.client.delete({ ...place, name: nameOf(index) }));
  await until('all but one are deleted', async () => {
    return (await server.client.list(place)).length === count - leaving.length + 1;
  });
  if ((await server.client.find({ ...place, name: nameOf(0) })) === undefined) {
    throw new Error('the machine whose pod a budget holds was deleted');
  }
}

async function measure(program: string, count: number): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const kubeconfigPath = join(folder, 'kubeconfig');
  const server = stack.use(await startApiServer({ crds: crds as readonly Manifest[], kubeconfigPath }));
  await server.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const counter = stack.use(countRequests(server.url));
  const child = stack.use(startChild(program, [kubeconfigPath]));
  await child.next();
  const stage = { server, pid: child.pid, counter, count };
  const joining = await costOf(stage, count, () => createMachines(stage));
  await createPods(stage);
  const deletion = await costOf(stage, count / 5, () => deleteMachines(stage));
  return { count, joining, deletion, peakMebibytes: peakMebibytesOf(child.pid) };
}

function textOf({ seconds, cpuMsEach, requestsEach }: Cost): string {
  return `${seconds.toFixed(1)} s; each ${cpuMsEach.toFixed(1)} ms CPU, ${requestsEach.toFixed(1)} requests`;
}

function rowsOf({ count, joining, deletion, peakMebibytes }: Measured): Measurement[] {
  const name = `${count.toLocaleString('en')} machines`;
  return [
    { what: `${name}: created until they run`, value: textOf(joining) },
    { what: `${name}: ${count / 5} deleted at once, one of them stuck`, value: textOf(deletion) },
    { what: `${name}: peak memory of the controllers`, value: `${peakMebibytes} MiB` },
  ];
}

/** The most of what one cost, by the least. */
function growthOf(what: string, measured: readonly Measured[], of: (one: Measured) => number): Measurement {
  const [first = Number.NaN] = measured.map(of);
  const last = of(measured.at(-1) as Measured);
  const [least, most] = [measured[0]?.count, measured.at(-1)?.count];
  return { what: `${what} each, ${most} machines ÷ ${least}`, value: (last / first).toFixed(2), goal: 'at most 1.25' };
}

function requestRows({ count, deletion }: Measured): Measurement[] {
  return [...deletion.requests]
    .map(([kind, total]): [string, number] => [kind, (total * 5) / count])
    .filter(([, each]) => each >= 0.05)
    .toSorted(([, a], [, b]) => b - a)
    .map(([kind, each]) => ({ what: `  ${kind}`, value: each.toFixed(2) }));
}

/** A fifth of all machines deleted at once, with a hook on each, budgets that let few pods go at a time, and a drain that never ends. */
export async function measureMachines(): Promise<Measurement[]> {
  await using compiled = await compileFiles(['bench/machines-child.ts']);
  const program = compiled.pathOf('bench/machines-child.ts');
  const measured: Measured[] = [];
  for (const count of counts) measured.push(await measure(program, count));
  return [
    ...measured.flatMap(rowsOf),
    growthOf('CPU of a deletion', measured, ({ deletion }) => deletion.cpuMsEach),
    growthOf('requests of a deletion', measured, ({ deletion }) => deletion.requestsEach),
    growthOf('CPU of a creation', measured, ({ joining }) => joining.cpuMsEach),
    growthOf('requests of a creation', measured, ({ joining }) => joining.requestsEach),
    ...measured.slice(-1).flatMap(requestRows),
  ];
}
