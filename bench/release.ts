import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterClient } from '../apiserver/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../src/base/index.ts';
import { findOperator } from '../test/cluster-version/binaries.ts';
import { openCluster, type ScenarioCluster } from '../test/cluster-version/cluster.ts';
import { componentsScenario } from '../test/cluster-version/components.ts';
import { simulateOperators } from '../test/cluster-version/operators.ts';
import { oracle } from '../test/cluster-version/oracle.ts';
import { ours } from '../test/cluster-version/ours.ts';
import { writePayload } from '../test/cluster-version/payloads.ts';
import type { Engine, EngineStart, Implementation, PayloadPlace, Scenario } from '../test/cluster-version/scenario.ts';
import { hasCorpus } from '../test/support/index.ts';
import { startChild } from './child.ts';
import { compileFiles } from './compiled.ts';
import { cpuSecondsOf, peakMebibytesOf } from './process-usage.ts';
import { countRequests, isWrite, type RequestCounter, requestsBetween } from './request-counter.ts';
import type { Measurement } from './table.ts';

const clusterVersion = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', name: 'version' };
const deadlineMs = 10 * 60_000;
/** Of the reference that is drawn from one to two of its intervals, and so a round lies in it. */
const interval = '60s';
const unchangedMs = 130_000;

type Start = (start: EngineStart) => Promise<Engine>;

/** What one stage took. */
interface Stage {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly requests: number;
  readonly writes: number;
}

interface Run {
  readonly install: Stage;
  readonly update: Stage;
  readonly unchanged: Stage;
  readonly peakMebibytes: number;
}

async function awaitVersion(client: ClusterClient, version: string): Promise<void> {
  const isDone = (object: unknown): boolean => {
    const [newest] = objectsAt(objectAt((object ?? {}) as JsonObject, 'status'), 'history');
    return newest !== undefined && textAt(newest, 'state') === 'Completed' && textAt(newest, 'version') === version;
  };
  await client.until(clusterVersion, isDone, { timeoutMs: deadlineMs });
}

async function measured(pid: number, counter: RequestCounter, work: () => Promise<void>): Promise<Stage> {
  const [startMs, cpu, before] = [performance.now(), cpuSecondsOf(pid), counter.counts()];
  await work();
  const asked = [...requestsBetween(before, counter.counts())];
  const sum = (all: typeof asked): number => all.reduce((total, [, count]) => total + count, 0);
  return {
    seconds: (performance.now() - startMs) / 1000,
    cpuSeconds: cpuSecondsOf(pid) - cpu,
    requests: sum(asked),
    writes: sum(asked.filter(([kind]) => isWrite(kind))),
  };
}

async function placesOf({ payloads }: Scenario, { payloadFolder }: ScenarioCluster): Promise<PayloadPlace[]> {
  const places: PayloadPlace[] = [];
  for (const [name, payload] of Object.entries(payloads)) places.push(await writePayload(name, payload, payloadFolder));
  return places;
}

async function run(scenario: Scenario, { crds }: Implementation, start: Start): Promise<Run> {
  await using cluster = await openCluster(scenario, crds);
  using _operators = simulateOperators(cluster.server, scenario);
  const { server, kubeconfigPath, folder } = cluster;
  const { client } = server;
  const [first, second] = await placesOf(scenario, cluster);
  if (first === undefined || second === undefined) throw new Error('the scenario has no two releases');
  using counter = countRequests(server.url);
  const { name, ...kind } = clusterVersion;
  const spec = { clusterID: '2c4b0c5e-5a1d-4c8e-9f50-5c6a4e0a4a11' };
  await client.create({ ...kind, metadata: { name }, spec } as never);
  await using engine = await start({ kubeconfigPath, workFolder: folder, release: first, payloads: [first, second] });
  const pid = engine.pid ?? 0;
  const install = await measured(pid, counter, () => awaitVersion(client, first.version));
  const desiredUpdate = { version: second.version, image: second.image, force: true };
  const update = await measured(pid, counter, async () => {
    await client.patch(clusterVersion, { spec: { desiredUpdate } });
    await awaitVersion(client, second.version);
  });
  const unchanged = await measured(pid, counter, () => pause(unchangedMs));
  return { install, update, unchanged, peakMebibytes: peakMebibytesOf(pid) };
}

/** Compiled, as users run it. */
async function startOurs(program: string, { kubeconfigPath, workFolder, payloads }: EngineStart): Promise<Engine> {
  // As the image sets it.
  const environment = {
    MALLOC_ARENA_MAX: '1',
    MALLOC_TRIM_THRESHOLD_: '131072',
    MALLOC_MMAP_THRESHOLD_: '131072',
  };
  const child = startChild(program, [kubeconfigPath, workFolder, JSON.stringify(payloads)], environment);
  await child.next();
  return {
    pid: child.pid,
    assertAlive: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

function rowsOf(who: string, { install, update, unchanged, peakMebibytes }: Run): Measurement[] {
  const text = ({ seconds, cpuSeconds, requests, writes }: Stage): string =>
    `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s CPU, ${requests} requests, ${writes} of them writes`;
  return [
    { what: `${who}: first installation`, value: text(install) },
    { what: `${who}: update`, value: text(update) },
    { what: `${who}: ${unchangedMs / 1000} s without changes`, value: text(unchanged) },
    { what: `${who}: peak memory`, value: `${peakMebibytes} MiB` },
  ];
}

function comparison(own: Run, peer: Run): Measurement[] {
  const of = (what: string, [mine, theirs]: readonly [number, number], goal: string): Measurement => ({
    what: `reference ÷ Longshore: ${what}`,
    value: `${(theirs / mine).toFixed(1)}×`,
    goal,
    ratio: theirs / mine,
  });
  return [
    of('time of the installation', [own.install.seconds, peer.install.seconds], '2×'),
    of('time of the update', [own.update.seconds, peer.update.seconds], '2×'),
    of('CPU of the installation', [own.install.cpuSeconds, peer.install.cpuSeconds], '1×'),
    of('requests of the installation', [own.install.requests, peer.install.requests], '1×'),
    of('CPU of rounds without changes', [own.unchanged.cpuSeconds, peer.unchanged.cpuSeconds], '2×'),
    of('requests of rounds without changes', [own.unchanged.requests, peer.unchanged.requests], '2×'),
    of('memory', [own.peakMebibytes, peer.peakMebibytes], '4×'),
  ];
}

/** The release of ten real components, installed, updated and left alone, beside the cluster-version-operator on the same server. */
export async function measureRelease(): Promise<Measurement[]> {
  if (!hasCorpus) return [{ what: 'ten real components', value: 'skipped: there is no ../shared/corpus' }];
  const scenario = await componentsScenario();
  await using compiled = await compileFiles(['bench/release-child.ts']);
  const program = compiled.pathOf('bench/release-child.ts');
  const own = await run(scenario, await ours(), (start) => startOurs(program, start));
  const binary = await findOperator({ mayBuild: false, report: () => undefined });
  const rows = rowsOf('Longshore', own);
  if ('missing' in binary) return [...rows, { what: 'cluster-version-operator', value: `skipped: ${binary.missing}` }];
  const reference = oracle(binary, interval);
  const peer = await run(scenario, reference, (start) => reference.start(start));
  return [...rows, ...rowsOf('reference', peer), ...comparison(own, peer)];
}
