import { setTimeout as pause } from 'node:timers/promises';
import { type JsonObject, mapLimit, objectAt, textAt } from '../src/base/index.ts';
import { eventually } from '../test/support/index.ts';
import type { OfferedOperator } from './olm-catalog.ts';
import type { ControllerMemory, OlmSubject } from './olm-subjects.ts';
import { sum } from './platform.ts';
import { countRequests, isWrite, type RequestCounter, requestsBetween } from './request-counter.ts';

const apiVersion = 'operators.coreos.com/v1alpha1';
const namespace = 'operators';
const sourceNamespace = 'olm';
/** Operators that are installed one after the other; the others come all at once. */
const timed = 5;
const quietMs = 3_000;
const quietLimitMs = 60_000;
const idleMs = 30_000;
const limits = { timeoutMs: 1_800_000, intervalMs: 20 };
const slowly = { ...limits, intervalMs: 1_000 };

/** What one implementation has shown. */
export interface OlmFigures {
  /** From the Subscription to a ClusterServiceVersion that succeeded, of each operator. */
  readonly installSeconds: readonly number[];
  readonly requestsPerOperator: number;
  /** The most frequent ones, for a line of the table. */
  readonly frequent: readonly string[];
  readonly idle: { readonly requests: number; readonly writes: number };
  readonly copySeconds: number;
  readonly memory: ControllerMemory;
}

/** The run of one implementation. */
interface Run extends OlmSubject {
  readonly counter: RequestCounter;
}

/** The real OLM takes minutes. */
function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

type Created = JsonObject & { apiVersion: string; kind: string; metadata: { name: string; namespace?: string } };

async function create({ cluster }: Run, object: Created): Promise<void> {
  await cluster.server.client.create(object);
}

async function createCatalog(run: Run, address: string): Promise<void> {
  const metadata = { name: 'shop', namespace: sourceNamespace };
  await create(run, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await create(run, {
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: { name: 'global', namespace },
    spec: {},
  });
  await create(run, { apiVersion, kind: 'CatalogSource', metadata, spec: { sourceType: 'grpc', address } });
  await eventually(async () => {
    const source = await run.cluster.server.client.get<Created>({ apiVersion, kind: 'CatalogSource', ...metadata });
    const state = textAt(objectAt(source, 'status', 'connectionState'), 'lastObservedState');
    if (state !== 'READY') throw new Error(`${run.name}: the catalog is ${state}`);
  }, limits);
}

async function subscribe(run: Run, { packageName }: OfferedOperator): Promise<void> {
  const spec = { name: packageName, channel: 'stable', source: 'shop', sourceNamespace };
  await create(run, { apiVersion, kind: 'Subscription', metadata: { name: packageName, namespace }, spec });
}

async function whenSucceeded(run: Run, { csv: name }: OfferedOperator): Promise<void> {
  await eventually(
    async () => {
      const found = await run.cluster.server.client.find<Created>({
        apiVersion,
        kind: 'ClusterServiceVersion',
        name,
        namespace,
      });
      const status = objectAt(found, 'status');
      if (textAt(status, 'phase') === 'Succeeded') return;
      throw new Error(`${run.name}: ${name} is ${textAt(status, 'phase')}: ${textAt(status, 'message')}`);
    },
    { ...limits, timeoutMs: 600_000 },
  );
}

async function installSeconds(run: Run, operator: OfferedOperator): Promise<number> {
  const startedMs = performance.now();
  await subscribe(run, operator);
  await whenSucceeded(run, operator);
  const seconds = (performance.now() - startedMs) / 1000;
  report(`${run.name}: ${operator.csv} installed in ${seconds.toFixed(2)} s`);
  return seconds;
}

/** Waits until nothing but watches was asked for a moment; not for ever. */
async function whenQuiet({ counter }: Run): Promise<void> {
  const endMs = Date.now() + quietLimitMs;
  for (let before = counter.counts(); Date.now() < endMs; ) {
    await pause(quietMs);
    const after = counter.counts();
    if ([...requestsBetween(before, after).keys()].every((kind) => kind.startsWith('watch '))) return;
    before = after;
  }
}

async function countOfCsvs({ cluster }: Run): Promise<number> {
  const { text } = await cluster.server.client.request({
    path: '/apis/operators.coreos.com/v1alpha1/clusterserviceversions?limit=1',
  });
  const { items, metadata } = JSON.parse(text) as {
    items: readonly unknown[];
    metadata: { remainingItemCount?: number };
  };
  return items.length + (metadata.remainingItemCount ?? 0);
}

async function createNamespaces(run: Run, count: number): Promise<number> {
  const names = Array.from({ length: count }, (_, index) => `team-${index}`);
  await mapLimit(names, 8, (name) => create(run, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  const namespaces = await run.cluster.server.client.list({ apiVersion: 'v1', kind: 'Namespace' });
  return namespaces.length;
}

/** Installs all operators at once, and waits until each namespace has a copy of each. */
async function copySeconds(run: Run, operators: readonly OfferedOperator[], namespaces: number): Promise<number> {
  const startedMs = performance.now();
  const all = (await createNamespaces(run, namespaces)) * operators.length;
  for (const operator of operators.slice(timed)) await subscribe(run, operator);
  for (const operator of operators) await whenSucceeded(run, operator);
  report(
    `${run.name}: all operators installed ${((performance.now() - startedMs) / 1000).toFixed(1)} s after the fifth`,
  );
  await eventually(async () => {
    const count = await countOfCsvs(run);
    if (count < all) throw new Error(`${run.name}: ${count} of ${all} ClusterServiceVersions are there`);
  }, slowly);
  return (performance.now() - startedMs) / 1000;
}

function mostFrequent(requests: ReadonlyMap<string, number>): readonly string[] {
  const sorted = [...requests].toSorted(([, a], [, b]) => b - a).slice(0, 6);
  return sorted.map(([kind, count]) => `${kind} ${(count / timed).toFixed(1)}`);
}

/** Installs operators one after the other, then the others in a cluster of many namespaces. */
export async function measureOlmSubject(
  subject: OlmSubject,
  operators: readonly OfferedOperator[],
  { address, namespaces }: { readonly address: string; readonly namespaces: number },
): Promise<OlmFigures> {
  using counter = countRequests(subject.cluster.server.url);
  const run: Run = { ...subject, counter };
  await createCatalog(run, address);
  await whenQuiet(run);
  const start = counter.counts();
  const seconds: number[] = [];
  for (const operator of operators.slice(0, timed)) seconds.push(await installSeconds(run, operator));
  await whenQuiet(run);
  const installed = counter.counts();
  await pause(idleMs);
  const idle = requestsBetween(installed, counter.counts());
  const requests = requestsBetween(start, installed);
  const writes = [...idle].filter(([kind]) => isWrite(kind)).map(([, count]) => count);
  report(
    `${run.name}: ${sum(requests.values())} requests for them, ${sum(idle.values())} in an idle time, ${sum(writes)} of them writes`,
  );
  const copied = await copySeconds(run, operators, namespaces);
  await whenQuiet(run);
  return {
    installSeconds: seconds,
    requestsPerOperator: sum(requests.values()) / timed,
    frequent: mostFrequent(requests),
    idle: { requests: sum(idle.values()), writes: sum(writes) },
    copySeconds: copied,
    memory: await subject.memory(),
  };
}
