/** `npm run test:profile`: the processor time of each project of tests, the most expensive files and the slowest tests, as tables; `-- --write` puts them into CONTRIBUTING.md.
 *  Projects run one after the other. Processor time is what the kernel charged to vitest and its children (Linux alone). */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runVitest, type VitestReport } from './vitest-run.ts';

const projects = ['unit', 'integration', 'conformance', 'clients', 'e2e', 'faults'];
const shownFiles = 30;
const shownTests = 50;
const begin = '<!-- begin of the test profile: npm run test:profile -- --write -->';
const end = '<!-- end of the test profile -->';
const target = new URL('../CONTRIBUTING.md', import.meta.url);
const root = new URL('..', import.meta.url).pathname;

/** Processor seconds of all children that have ended; undefined where the kernel does not report them.
 *  @see proc(5), /proc/pid/stat: fields 16 and 17, in ticks of 10 ms */
async function childSeconds(): Promise<number | undefined> {
  const stat = await readFile('/proc/self/stat', 'utf8').catch(() => undefined);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined ? undefined : (Number(fields[13]) + Number(fields[14])) / 100;
}

interface Measured {
  readonly project: string;
  readonly report: VitestReport;
  readonly wallSeconds: number;
  readonly cpuSeconds: number | undefined;
  readonly files: readonly FileTimes[];
}

/** What test/support/processor-time.ts notes of a test file. */
interface FileTimes {
  readonly path: string;
  readonly ownSeconds: number;
  readonly childSeconds: number;
}

async function measure(project: string, timesFile: string): Promise<Measured> {
  const [before, startMs] = [await childSeconds(), performance.now()];
  const report = await runVitest(['--project', project], { ...process.env, LONGSHORE_TEST_TIMES: timesFile });
  const [after, endMs] = [await childSeconds(), performance.now()];
  const cpuSeconds = before === undefined || after === undefined ? undefined : after - before;
  const lines = (await readFile(timesFile, 'utf8').catch(() => '')).trim().split('\n');
  const files = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as FileTimes);
  return { project, report, wallSeconds: (endMs - startMs) / 1000, cpuSeconds, files };
}

function projectTable(measured: readonly Measured[]): readonly string[] {
  const rows = measured.map(({ project, report, wallSeconds, cpuSeconds }) => {
    const processor = cpuSeconds === undefined ? 'unknown' : `${cpuSeconds.toFixed(0)} s`;
    return `| ${project} | ${report.testResults.length} | ${report.numPassedTests} | ${processor} | ${wallSeconds.toFixed(0)} s |`;
  });
  return ['| project | files | tests passed | processor time | wall clock |', '|---|---:|---:|---:|---:|', ...rows];
}

function expensiveTable(measured: readonly Measured[]): readonly string[] {
  const secondsOf = (times: FileTimes): number => times.ownSeconds + times.childSeconds;
  const files = measured.flatMap((one) => one.files).toSorted((a, b) => secondsOf(b) - secondsOf(a));
  const rows = files
    .slice(0, shownFiles)
    .map(
      (times) =>
        `| ${secondsOf(times).toFixed(1)} s | ${times.childSeconds.toFixed(1)} s | \`${times.path.replace(root, '')}\` |`,
    );
  return ['| processor time | of it in child processes | file |', '|---:|---:|---|', ...rows];
}

function slowestTable(measured: readonly Measured[]): readonly string[] {
  const tests = measured.flatMap(({ report }) =>
    report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ title, duration }) => ({ file: name.replace(root, ''), title, ms: duration ?? 0 })),
    ),
  );
  const slowest = tests.toSorted((a, b) => b.ms - a.ms).slice(0, shownTests);
  const rows = slowest.map(
    ({ file, title, ms }) => `| ${(ms / 1000).toFixed(1)} s | \`${file}\` | ${title.replaceAll('|', '\\|')} |`,
  );
  return ['| time | file | test |', '|---:|---|---|', ...rows];
}

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const measured: Measured[] = [];
const folder = await mkdtemp(join(tmpdir(), 'longshore-profile-'));
try {
  for (const project of projects) measured.push(await measure(project, join(folder, project)));
} finally {
  await rm(folder, { recursive: true, force: true });
}
const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, Node.js ${process.versions.node}`;
const tables = [projectTable(measured), expensiveTable(measured), slowestTable(measured)];
const lines = [`Measured on ${machine}.`, ...tables.flatMap((table) => ['', ...table])];
console.log(lines.join('\n'));
if (values.write) {
  const text = await readFile(target, 'utf8');
  const [head, rest] = text.split(begin);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined) throw new Error('CONTRIBUTING.md has no place for the test profile');
  await writeFile(target, `${head}${begin}\n\n${lines.join('\n')}\n\n${end}${tail}`);
}
