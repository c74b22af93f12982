import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlaneBinaries, findControlPlane } from '../test/control-plane/index.ts';
import { LoadClient, type LoadRequest } from './comparison-load.ts';
import { type Subject, startEmbedded, startReal } from './comparison-subjects.ts';
import { packageApiServer } from './packaged-api-server.ts';
import { type Measurement, median } from './table.ts';

const rounds = 3;
const writeCount = 2000;
const listCount = 10_000;
const listRuns = 5;
const watcherCount = 1000;
const watchedWrites = 40;
const storeCount = 50_000;
const storeObjectBytes = 2048;

/** One measured quantity: of the embedded server, and of the real one if available. */
interface Row {
  readonly what: string;
  readonly unit: 'ms' | '/s' | 'MiB';
  readonly ours: number;
  readonly real: number | undefined;
  /** The target ratio, and whether more is better. */
  readonly aim?: number;
}

type Measured = ReadonlyMap<string, number>;

const collection = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, value: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { app: 'bench' } },
    data: { key: value },
  });
}

function requests(count: number, make: (name: string) => LoadRequest, prefix = 'w'): LoadRequest[] {
  return Array.from({ length: count }, (_, index) => make(`${prefix}${String(index).padStart(6, '0')}`));
}

/** Create, get, update, apply, each of the same objects under fresh names; then they are deleted. */
async function measureRates(client: LoadClient, round: number): Promise<Measured> {
  const make = (build: (name: string) => LoadRequest): LoadRequest[] => requests(writeCount, build, `r${round}-`);
  const at = (name: string): string => `${collection}/${name}`;
  const applyType = 'application/apply-patch+yaml';
  const apply = (value: string) => (name: string) => ({
    method: 'PATCH',
    path: `${at(`a-${name}`)}?fieldManager=bench&force=true`,
    body: configMap(`a-${name}`, value),
    contentType: applyType,
  });
  const rates = new Map<string, number>();
  const creates = make((name) => ({ method: 'POST', path: collection, body: configMap(name, 'one') }));
  rates.set('create', await client.rate(creates));
  rates.set('get', await client.rate(make((name) => ({ method: 'GET', path: at(name) }))));
  const updates = make((name) => ({ method: 'PUT', path: at(name), body: configMap(name, 'two') }));
  rates.set('update', await client.rate(updates));
  rates.set('server-side apply, new objects', await client.rate(make(apply('one'))));
  rates.set('server-side apply, changes', await client.rate(make(apply('two'))));
  await clear(client);
  return rates;
}

async function measureList(client: LoadClient): Promise<number> {
  const list = { method: 'GET', path: collection };
  const rate = await client.rate(
    Array.from({ length: listRuns }, () => list),
    1,
  );
  return rate * listCount;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const clearTries = 10;

/** On a busy machine a server may need longer than a request may take. */
async function clear(client: LoadClient, tries: number = clearTries): Promise<void> {
  try {
    await client.send({ method: 'DELETE', path: collection });
  } catch (thrown) {
    if (tries === 0) throw thrown;
    await clear(client, tries - 1);
  }
}

/** Milliseconds from a write's start to its arrival at each of many watchers. */
async function measureFanOut(client: LoadClient): Promise<Measured> {
  const latencies: number[] = [];
  let startedMs = 0;
  let received = 0;
  let whenAll: () => void = () => {};
  const onEvent = (): void => {
    latencies.push(performance.now() - startedMs);
    received += 1;
    if (received === watcherCount) whenAll();
  };
  const path = `${collection}?watch=true&labelSelector=app%3Dbench&resourceVersion=0&fieldSelector=metadata.name%3Dwatched`;
  using _watches = await client.watch(path, watcherCount, onEvent);
  for (let turn = 0; turn < watchedWrites; turn += 1) {
    const all = new Promise<void>((resolve) => {
      whenAll = resolve;
    });
    received = 0;
    startedMs = performance.now();
    const body = configMap('watched', String(turn));
    const isFirst = turn === 0;
    await client.send({ method: isFirst ? 'POST' : 'PUT', path: isFirst ? collection : `${collection}/watched`, body });
    await all;
  }
  const sorted = latencies.slice(watcherCount).sort((a, b) => a - b);
  await clear(client);
  return new Map([
    ['p50', percentile(sorted, 0.5)],
    ['p99', percentile(sorted, 0.99)],
  ]);
}

async function fill(client: LoadClient, count: number, bytes: number): Promise<void> {
  const value = 'x'.repeat(bytes);
  await client.rate(requests(count, (name) => ({ method: 'POST', path: collection, body: configMap(name, value) })));
}

const mebibytes = (bytes: number): number => bytes / 2 ** 20;

function medians(runs: readonly Measured[]): Map<string, number> {
  const names = [...(runs[0]?.keys() ?? [])];
  return new Map(names.map((name) => [name, median(runs.map((run) => run.get(name) ?? Number.NaN))]));
}

interface Contender {
  readonly subject: Subject;
  readonly client: LoadClient;
  readonly results: Map<string, number>;
}

async function inTurn(contenders: readonly Contender[], work: (contender: Contender) => Promise<void>): Promise<void> {
  for (const contender of contenders) await work(contender);
}

async function measureAll(contenders: readonly Contender[]): Promise<void> {
  const rates = new Map<Contender, Measured[]>(contenders.map((contender) => [contender, []]));
  for (let round = 0; round < rounds; round += 1) {
    await inTurn(contenders, async (contender) => {
      rates.get(contender)?.push(await measureRates(contender.client, round));
    });
  }
  for (const [{ results }, runs] of rates) for (const [name, value] of medians(runs)) results.set(name, value);
  await inTurn(contenders, async ({ client, results }) => {
    await fill(client, listCount, 5);
    results.set('list', await measureList(client));
    await clear(client);
  });
  await inTurn(contenders, async ({ client, results }) => {
    for (const [name, value] of await measureFanOut(client)) results.set(name, value);
  });
}

async function measureStore({ subject, client, results }: Contender): Promise<void> {
  await sleep(3000);
  results.set('memory', mebibytes(await subject.residentBytes()));
  await fill(client, storeCount, storeObjectBytes);
  await sleep(3000);
  results.set('filled memory', mebibytes(await subject.residentBytes()));
  if (subject.reopen === undefined) return;
  results.set('open', await subject.reopen());
  results.set('opened memory', mebibytes(await subject.residentBytes()));
}

async function contend(starting: Promise<Subject>, stack: AsyncDisposableStack): Promise<Contender> {
  const subject = stack.use(await starting);
  const client = stack.use(await LoadClient.open(subject.kubeconfig));
  return { subject, client, results: new Map([['start', subject.startMs]]) };
}

type Title = readonly [key: string, what: string, unit: Row['unit'], aim?: number];

const rateTitles: readonly Title[] = [
  ['start', 'start to ready', 'ms', 0.08],
  ['create', 'create ConfigMaps, 16 at a time', '/s', 1],
  ['get', 'get ConfigMaps, 16 at a time', '/s', 1],
  ['update', 'update ConfigMaps, 16 at a time', '/s', 1],
  ['server-side apply, new objects', 'server-side apply of new ConfigMaps', '/s', 1],
  ['server-side apply, changes', 'server-side apply of changes', '/s', 1],
  ['list', `list ${listCount} ConfigMaps, objects`, '/s', 1],
  ['p50', `a write to ${watcherCount} watchers, p50`, 'ms'],
  ['p99', `a write to ${watcherCount} watchers, p99`, 'ms'],
];

const memoryTitles: readonly Title[] = [
  ['memory', 'memory, empty', 'MiB', 0.5],
  ['filled memory', `memory with ${storeCount} objects of 2 KiB`, 'MiB', 0.33],
  ['opened memory', 'the same after a restart', 'MiB'],
  ['open', `open a store of ${storeCount} objects`, 'ms'],
];

function show(value: number | undefined, unit: Row['unit']): string {
  return value === undefined ? '–' : `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}

function measurementOf({ what, unit, ours, real, aim }: Row): Measurement {
  if (real === undefined) return { what, value: show(ours, unit) };
  const ratio = `${(ours / real).toFixed(2)} of ${show(real, unit)}`;
  const goal = aim === undefined ? {} : { goal: unit === '/s' ? `at least ${aim}` : `at most ${aim}` };
  return {
    what,
    value: `${show(ours, unit)}, ${ratio}`,
    ...goal,
    ratio: unit === '/s' ? ours / real : real / ours,
  };
}

async function startOnce(start: () => Promise<Subject>): Promise<number> {
  await using subject = await start();
  return subject.startMs;
}

async function startsOf(start: () => Promise<Subject>): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < rounds; run += 1) runs.push(await startOnce(start));
  return median(runs);
}

type Measure = (contenders: readonly Contender[], starts: readonly (() => Promise<Subject>)[]) => Promise<void>;

/** The embedded server, durable, beside kube-apiserver with etcd where that can be had: in turn, on the same machine, by the same client. */
async function compare(titles: readonly Title[], measure: Measure): Promise<Measurement[]> {
  const found = await findControlPlane({ mayBuild: true, report: console.log });
  const binaries: ControlPlaneBinaries | undefined = 'missing' in found ? undefined : found;
  if ('missing' in found) console.log(`no kube-apiserver to compare with: ${found.missing}`);
  await using packaged = await packageApiServer();
  const starts: (() => Promise<Subject>)[] = [() => startEmbedded(packaged.args)];
  if (binaries !== undefined) starts.push(() => startReal(binaries));
  await using stack = new AsyncDisposableStack();
  const contenders: Contender[] = [];
  for (const start of starts) contenders.push(await contend(start(), stack));
  await measure(contenders, starts);
  const [ours, real] = contenders;
  return titles.map(([key, what, unit, aim]) => {
    const row = { what, unit, ours: ours?.results.get(key) ?? Number.NaN, real: real?.results.get(key) };
    return measurementOf(aim === undefined ? row : { ...row, aim });
  });
}

/** Start, rates and watches. */
export function measureComparison(): Promise<Measurement[]> {
  return compare(rateTitles, async (contenders, starts) => {
    for (const [index, { results }] of contenders.entries()) {
      const start = starts[index];
      if (start !== undefined) results.set('start', await startsOf(start));
    }
    await measureAll(contenders);
  });
}

/** Memory, empty and with many objects. */
export function measureMemory(): Promise<Measurement[]> {
  return compare(memoryTitles, (contenders) => inTurn(contenders, measureStore));
}
