/** `npm run test:profile`: the processor time of each area of tests, the most expensive files and the slowest tests, as tables; `-- --write` puts them into CONTRIBUTING.md.
 *  Processor time is what the kernel charged to the worker of a file, and to its children (Linux alone). */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runVitest, type VitestReport } from './vitest-run.ts';

/** Areas of tests that are one folder; the others are beside the code, or compare an area of it with its reference. */
const folders = ['conformance', 'clients', 'e2e', 'faults'];
const shownFiles = 30;
const shownTests = 50;
const begin = '<!-- begin of the test profile: npm run test:profile -- --write -->';
const end = '<!-- end of the test profile -->';
const target = new URL('../CONTRIBUTING.md', import.meta.url);
const root = new URL('..', import.meta.url).pathname;

/** What test/support/processor-time.ts notes of a test file. */
interface FileTimes {
  readonly path: string;
  readonly ownSeconds: number;
  readonly childSeconds: number;
}

const secondsOf = (times: FileTimes): number => times.ownSeconds + times.childSeconds;

function areaOf(path: string): string {
  return folders.find((folder) => path.startsWith(`${root}test/${folder}/`)) ?? 'code';
}

async function readTimes(file: string): Promise<readonly FileTimes[]> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as FileTimes);
}

function areaTable({ testResults }: VitestReport, times: readonly FileTimes[]): readonly string[] {
  const rows = ['code', ...folders].map((area) => {
    const files = testResults.filter(({ name }) => areaOf(name) === area);
    const tests = files.flatMap(({ assertionResults }) => assertionResults);
    const passed = tests.filter(({ status }) => status === 'passed').length;
    const seconds = times.filter(({ path }) => areaOf(path) === area).reduce((sum, one) => sum + secondsOf(one), 0);
    return `| ${area} | ${files.length} | ${passed} | ${seconds.toFixed(0)} s |`;
  });
  return ['| area | files | tests passed | processor time |', '|---|---:|---:|---:|', ...rows];
}

function expensiveTable(times: readonly FileTimes[]): readonly string[] {
  const rows = times
    .toSorted((a, b) => secondsOf(b) - secondsOf(a))
    .slice(0, shownFiles)
    .map(
      (one) =>
        `| ${secondsOf(one).toFixed(1)} s | ${one.childSeconds.toFixed(1)} s | \`${one.path.replace(root, '')}\` |`,
    );
  return ['| processor time | of it in child processes | file |', '|---:|---:|---|', ...rows];
}

function slowestTable({ testResults }: VitestReport): readonly string[] {
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, duration }) => ({ file: name.replace(root, ''), title, ms: duration ?? 0 })),
  );
  const slowest = tests.toSorted((a, b) => b.ms - a.ms).slice(0, shownTests);
  const rows = slowest.map(
    ({ file, title, ms }) => `| ${(ms / 1000).toFixed(1)} s | \`${file}\` | ${title.replaceAll('|', '\\|')} |`,
  );
  return ['| time | file | test |', '|---:|---|---|', ...rows];
}

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const folder = await mkdtemp(join(tmpdir(), 'longshore-profile-'));
let tables: readonly (readonly string[])[];
let wallSeconds: number;
try {
  const timesFile = join(folder, 'times');
  const startMs = performance.now();
  const report = await runVitest([], { ...process.env, LONGSHORE_TEST_TIMES: timesFile });
  wallSeconds = (performance.now() - startMs) / 1000;
  const times = await readTimes(timesFile);
  tables = [areaTable(report, times), expensiveTable(times), slowestTable(report)];
} finally {
  await rm(folder, { recursive: true, force: true });
}
const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, Node.js ${process.versions.node}`;
const measured = `Measured on ${machine}: ${wallSeconds.toFixed(0)} s, long tests included.`;
const lines = [measured, ...tables.flatMap((table) => ['', ...table])];
console.log(lines.join('\n'));
if (values.write) {
  const text = await readFile(target, 'utf8');
  const [head, rest] = text.split(begin);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined) throw new Error('CONTRIBUTING.md has no place for the test profile');
  await writeFile(target, `${head}${begin}\n\n${lines.join('\n')}\n\n${end}${tail}`);
}
