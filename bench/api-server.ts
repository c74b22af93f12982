import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mapLimit, systemClock } from '../src/base/index.ts';
import { createKubeClient, type KubeClient, loadClusterAccess } from '../src/kube/index.ts';
import { startChild } from './child.ts';
import { packageApiServer } from './packaged-api-server.ts';
import { type Measurement, median } from './table.ts';

interface StartFacts {
  readonly kubeconfig: string;
  readonly importMs: number;
  readonly startMs: number;
  readonly totalMs: number;
}

const startRuns = 7;
const objectCount = 2_000;
const lanes = 16;

async function runStarts(
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<StartFacts[]> {
  const runs: StartFacts[] = [];
  for (let run = 0; run < startRuns; run++) {
    await using child = startChild('api-server-child.ts', args, environment);
    runs.push(await child.next<StartFacts>());
  }
  return runs;
}

/** The start of the package `@longshore/apiserver`, in one file. */
async function runPackageStarts(environment: Readonly<Record<string, string>>): Promise<StartFacts[]> {
  await using packaged = await packageApiServer();
  const { args } = packaged;
  await runStarts(environment, args);
  return await runStarts(environment, args);
}

/** Start of the embedded API server, each run in a fresh process: as a library, and as the command line does it from its second start on. */
export async function measureStart(): Promise<Measurement[]> {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  try {
    const plain = await runStarts({});
    await runStarts({ NODE_COMPILE_CACHE: dir });
    const cached = await runStarts({ NODE_COMPILE_CACHE: dir });
    const packaged = await runPackageStarts({ NODE_COMPILE_CACHE: dir });
    const ms = (runs: readonly StartFacts[], pick: (facts: StartFacts) => number): string =>
      `${median(runs.map(pick)).toFixed(0)} ms`;
    const goal = 'under 300 ms';
    return [
      { what: 'startApiServer() to first answered request', value: ms(plain, (facts) => facts.startMs), goal },
      { what: 'import of apiserver/', value: ms(plain, (facts) => facts.importMs) },
      { what: 'process start to first answered request', value: ms(plain, (facts) => facts.totalMs) },
      {
        what: 'process start to first answered request, with the compile cache of the CLI',
        value: ms(cached, (facts) => facts.totalMs),
        goal,
      },
      {
        what: 'process start to first answered request, of the package @longshore/apiserver, with a compile cache',
        value: ms(packaged, (facts) => facts.totalMs),
        goal: 'under 200 ms',
      },
    ];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1000;
}

const nameOf = (index: number): string => `bench-${String(index).padStart(5, '0')}`;

function configMap(index: number): Parameters<KubeClient['create']>[0] {
  const name = nameOf(index);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { app: 'bench' } },
    data: { key: 'value' },
  };
}

async function measureWith(kube: KubeClient): Promise<Measurement[]> {
  const indexes = Array.from({ length: objectCount }, (_, index) => index);
  const ref = (index: number): Parameters<KubeClient['get']>[0] => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'default',
    name: nameOf(index),
  });
  const create = await timed(() =>
    mapLimit(indexes, lanes, (index) => kube.create(configMap(index), { fieldManager: 'bench' })),
  );
  const get = await timed(() => mapLimit(indexes, lanes, (index) => kube.get(ref(index))));
  const listRuns = Array.from({ length: 20 }, (_, index) => index);
  const list = await timed(() =>
    mapLimit(listRuns, 4, () => kube.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' })),
  );
  return [
    { what: `create ConfigMaps, ${lanes} at a time`, value: `${(objectCount / create).toFixed(0)}/s` },
    { what: `get ConfigMaps, ${lanes} at a time`, value: `${(objectCount / get).toFixed(0)}/s` },
    {
      what: `list ${objectCount} ConfigMaps (in pages of 500)`,
      value: `${((listRuns.length * objectCount) / list).toFixed(0)} objects/s`,
    },
  ];
}

/** Requests a second, the server in a separate process. */
export async function measureRequests(): Promise<Measurement[]> {
  await using child = startChild('api-server-child.ts');
  const { kubeconfig } = await child.next<StartFacts>();
  const kube = createKubeClient({ access: await loadClusterAccess({ text: kubeconfig }), clock: systemClock });
  try {
    return await measureWith(kube);
  } finally {
    kube.close();
  }
}
