import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { parseYaml } from '../../src/base/index.ts';
import type { Files } from '../e2e/contents.ts';
import { type ChartRepository, chartRepositories } from './charts.ts';

const run = promisify(execFile);
const fetchDeadlineMs = 10 * 60_000;

/** A chart of a public repository. */
export interface RealChart {
  /** `prometheus-community/helm-charts: charts/alertmanager` */
  readonly id: string;
  readonly name: string;
  readonly files: Files;
}

function cacheFolder({ repository, commit }: ChartRepository): string {
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(root, 'longshore', 'charts', `${repository.replace('/', '+')}@${commit}`);
}

/** Fetches the folders of the charts, by git. */
async function fetchRepository(repository: ChartRepository): Promise<void> {
  const target = cacheFolder(repository);
  const half = `${target}.${process.pid}`;
  const git = async (...args: readonly string[]): Promise<unknown> =>
    await run('git', ['-C', half, ...args], { timeout: fetchDeadlineMs });
  await mkdir(half, { recursive: true });
  try {
    await git('init', '--quiet');
    const url = `https://github.com/${repository.repository}`;
    await git('fetch', '--quiet', '--depth=1', url, repository.commit);
    const folders = [...repository.charts, ...Object.values(repository.vendored ?? {})];
    await git('checkout', '--quiet', 'FETCH_HEAD', '--', ...(folders.includes('') ? ['.'] : folders));
    await rm(join(half, '.git'), { recursive: true });
    await rename(half, target);
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}

async function isFetched(repository: ChartRepository): Promise<boolean> {
  return await readdir(cacheFolder(repository)).then(
    () => true,
    () => false,
  );
}

/** What a chart does not consist of. */
const ignored = /^(\.git|\.github|test|tests|ci|examples?|unittests)\//;

async function readFolder(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = files.map(async (path) => [relative(folder, path), await readFile(path, 'utf8')] as const);
  return Object.fromEntries((await Promise.all(read)).filter(([path]) => !ignored.test(path)));
}

async function readChart(repository: ChartRepository, folder: string): Promise<RealChart> {
  const root = cacheFolder(repository);
  const files: Record<string, string> = { ...(await readFolder(join(root, folder))) };
  for (const [name, place] of Object.entries(repository.vendored ?? {})) {
    const library = await readFolder(join(root, place));
    for (const [path, content] of Object.entries(library)) files[`charts/${name}/${path}`] = content;
  }
  const metadata = parseYaml('Chart.yaml', files['Chart.yaml'] ?? '') as { readonly name: string };
  const id = `${repository.repository}${folder === '' ? '' : `: ${folder}`}`;
  return { id, name: metadata.name, files };
}

/** The charts that are there, after those were fetched that can be; `report` is told what cannot. */
export async function realCharts(
  options: { readonly mayFetch: boolean; readonly report?: (line: string) => void } = { mayFetch: false },
): Promise<readonly RealChart[]> {
  const found: RealChart[] = [];
  for (const repository of chartRepositories) {
    if (!(await isFetched(repository)) && options.mayFetch) {
      await fetchRepository(repository).catch((thrown: unknown) =>
        options.report?.(`${repository.repository}: not fetched: ${String(thrown).slice(0, 300)}`),
      );
    }
    if (!(await isFetched(repository))) continue;
    for (const folder of repository.charts) found.push(await readChart(repository, folder));
  }
  return found;
}
