import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { mapLimit } from '../src/base/index.ts';
import { createChartRenderer } from '../src/chart-renderer/index.ts';
import { type ChartRenderer, formatOf } from '../src/formats/index.ts';
import { helmForTests } from '../test/clients/helm-program.ts';
import { writeFolder } from '../test/e2e/program.ts';
import { type RealChart, realCharts } from '../test/helm/chart-cache.ts';
import { peakMemoryBytes } from './memory.ts';
import { type Measurement } from './table.ts';

const renderings = 200;
const batch = 20;
const deadlineMs = 10 * 60_000;
const kubeVersion = 'v1.33.1';

interface Subject {
  readonly chart: RealChart;
  readonly folder: string;
  readonly release: string;
}

async function renderOwn({ chart, release }: Subject, charts: ChartRenderer): Promise<void> {
  const reader = formatOf('core-rukpak-io-helm').begin('');
  for (const [name, text] of Object.entries(chart.files)) {
    reader.add('', { kind: 'file', name, content: Buffer.from(text) });
  }
  const terms = {
    config: {},
    cluster: { certificateProviders: [], kubeVersion, apiVersions: [] },
    release: { name: release, namespace: 'bench', isUpgrade: false, valuesFrom: [] },
  };
  await reader.finish(new Set()).render(terms, { charts, signal: AbortSignal.timeout(deadlineMs) });
}

function renderByHelm({ folder, release }: Subject, helm: string): void {
  const args = ['template', release, folder, '--namespace', 'bench', '--include-crds', '--kube-version', kubeVersion];
  const { status, stderr } = spawnSync(helm, args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  if (status !== 0) throw new Error(`helm template ${folder}: ${stderr}`);
}

async function timed(work: () => void | Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

interface Times {
  helmMs: number;
  coldMs: number;
  warmMs: number;
}

/** In turn, so that whatever else the machine does concerns all of them. */
async function measureTimes(subjects: readonly Subject[], helm: string, charts: ChartRenderer): Promise<Times> {
  const times: Times = { helmMs: 0, coldMs: 0, warmMs: 0 };
  const renderAll = async (some: readonly Subject[]): Promise<void> => {
    await mapLimit(some, availableParallelism(), (subject) => renderOwn(subject, charts));
  };
  for (let start = 0; start < subjects.length; start += batch) {
    const some = subjects.slice(start, start + batch);
    times.helmMs += await timed(() => {
      for (const subject of some) renderByHelm(subject, helm);
    });
    times.coldMs += await timed(() => renderAll(some));
    times.warmMs += await timed(() => renderAll(some));
  }
  return times;
}

async function subjectsIn(folder: string): Promise<readonly Subject[]> {
  const charts = await realCharts();
  const folders = await mapLimit(charts, 4, (chart, index) => writeFolder(join(folder, String(index)), chart.files));
  return charts.length === 0
    ? []
    : Array.from({ length: renderings }, (_, index) => ({
        chart: charts[index % charts.length] as RealChart,
        folder: folders[index % charts.length] ?? '',
        release: `bench-${Math.floor(index / charts.length)}`,
      }));
}

/** 200 renderings of charts of public repositories, beside `helm template` in a loop. */
export async function measureHelm(): Promise<Measurement[]> {
  const { path, why } = await helmForTests();
  if (why !== '') return [{ what: 'skipped', value: why }];
  const folder = await mkdtemp(join(tmpdir(), 'longshore-bench-helm-'));
  try {
    const subjects = await subjectsIn(folder);
    if (subjects.length === 0) return [{ what: 'skipped', value: 'no charts: npm run conformance:helm fetches them' }];
    let runs = 0;
    const charts = createChartRenderer({
      program: path,
      searchPath: process.env['PATH'] ?? '',
      temporaryDir: folder,
      cache: { dir: join(folder, 'cache'), key: Buffer.alloc(32) },
      onRender: () => {
        runs += 1;
      },
    });
    const { helmMs, coldMs, warmMs } = await measureTimes(subjects, path, charts);
    const each = (ms: number): string => `${(ms / renderings).toFixed(1)} ms`;
    const cold = helmMs / coldMs;
    const warm = helmMs / warmMs;
    return [
      { what: 'helm template in a loop, a chart', value: each(helmMs) },
      { what: 'rendered for the first time, a chart', value: each(coldMs) },
      { what: '… helm takes so many times as long', value: cold.toFixed(2), goal: 'at least 1', ratio: cold },
      { what: 'rendered again, a chart', value: each(warmMs) },
      { what: '… helm takes so many times as long', value: warm.toFixed(1), goal: 'at least 3', ratio: warm },
      { what: 'runs of helm for 400 renderings', value: String(runs), goal: String(renderings) },
      { what: 'peak memory of the process', value: `${Math.round(peakMemoryBytes() / 2 ** 20)} MiB` },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
