/** `npm run conformance:kube`: runs the API conformance cases on a real kube-apiserver and on the embedded server, and compares what they saw. */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { startApiServer } from '../apiserver/index.ts';
import { compare, type Result } from '../test/conformance/compare.ts';
import {
  areaFiles,
  loadArea,
  type NamedArea,
  type Outcome,
  runCases,
  type Subject,
  subjectOf,
} from '../test/conformance/runner.ts';
import { readSightings, type Sighting, type Sightings, writeSightings } from '../test/conformance/seen.ts';
import type { ConformanceCase } from '../test/conformance/suite.ts';
import { findControlPlane, oracleVersion, startControlPlane } from '../test/control-plane/index.ts';

const usage = `usage: npm run conformance:kube -- [options]
  --area NAME        only cases/NAME.ts; may be given several times
  --case TEXT        only cases whose name holds TEXT
  --record           write what the real server showed to test/conformance/seen/
  --kubeconfig FILE  a real server that runs already, instead of one of its own
  --lanes N          cases at a time (default 4)
  --report FILE      write {"passed", "failed"} to FILE; nothing when it is skipped`;

const lineLimit = 40;

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true },
    case: { type: 'string', default: '' },
    record: { type: 'boolean', default: false },
    kubeconfig: { type: 'string' },
    report: { type: 'string' },
    lanes: { type: 'string', default: '4' },
    help: { type: 'boolean', default: false },
  },
});

type Count = Record<Result['sort'], number>;

function print(title: string, name: string, { lines }: Result): void {
  if (lines.length === 0) return;
  console.log(`\n# ${title}: ${name}`);
  for (const line of lines.slice(0, lineLimit)) console.log(`  ${line}`);
  if (lines.length > lineLimit) console.log(`  … and ${lines.length - lineLimit} more lines`);
}

interface Pair {
  readonly kube: Subject;
  readonly ours: Subject;
}

async function outcomesOf({ kube, ours }: Pair, cases: readonly ConformanceCase[], lanes: number): Promise<Outcomes> {
  const [onKube, onOurs] = await Promise.all([runCases(kube, cases, lanes), runCases(ours, cases, lanes)]);
  return (name) => ({ kube: onKube.get(name), ours: onOurs.get(name) });
}

type Outcomes = (name: string) => { readonly kube: Outcome; readonly ours: Outcome };

/** What differs is run a second time, alone: other cases at the same time can make a controller late. */
async function compareCases(pair: Pair, area: NamedArea['area'], recorded: Sightings): Promise<Map<string, Result>> {
  const cases = area.cases.filter(({ name }) => name.includes(values.case));
  const results = new Map<string, Result>();
  let open = cases;
  for (const lanes of [area.serial ? 1 : Number(values.lanes), 1]) {
    const outcomes = await outcomesOf(pair, open, lanes);
    for (const one of open) {
      results.set(one.name, compare(one, outcomes(one.name), values.record ? undefined : recorded[one.name]));
    }
    open = open.filter(({ name }) => results.get(name)?.sort === 'differ');
  }
  return results;
}

async function compareArea({ file, area }: NamedArea, pair: Pair): Promise<Count> {
  const count: Count = { agree: 0, explained: 0, differ: 0, notCompared: 0 };
  const recorded = await readSightings(file);
  const results = await compareCases(pair, area, recorded);
  const sightings: Record<string, Sighting> = {};
  for (const { name } of area.cases) {
    const result = results.get(name);
    const sighting = result?.sighting ?? recorded[name];
    if (sighting !== undefined) sightings[name] = sighting;
    if (result === undefined) continue;
    count[result.sort] += 1;
    print(area.title, name, result);
  }
  if (values.record) await writeSightings(file, sightings);
  return count;
}

function needsControllers({ area }: NamedArea): boolean {
  return area.cases.some(({ needs }) => needs === 'controllers');
}

async function compareAll(kube: Subject): Promise<boolean> {
  await using server = await startApiServer();
  using ours = subjectOf(server.kubeconfig, { hasControllers: true, hasCaches: false });
  const areas = await Promise.all((values.area ?? (await areaFiles())).map((file) => loadArea(file)));
  const rows: (readonly [string, Count])[] = [];
  // kube-controller-manager answers soonest while it has no thousand namespaces of other cases to empty.
  for (const named of areas.toSorted((a, b) => Number(needsControllers(b)) - Number(needsControllers(a)))) {
    rows.push([named.area.title, await compareArea(named, { kube, ours })]);
  }
  const width = Math.max(...rows.map(([title]) => title.length), 5);
  console.log(`\n${'area'.padEnd(width)}  agree  explained  differ  not compared`);
  for (const [title, { agree, explained, differ, notCompared }] of rows) {
    const cells = [String(agree).padStart(5), String(explained).padStart(9), String(differ).padStart(6)];
    console.log(`${title.padEnd(width)}  ${cells.join('  ')}  ${String(notCompared).padStart(12)}`);
  }
  const sum = (key: keyof Count): number => rows.reduce((total, [, count]) => total + count[key], 0);
  console.log(
    `\n${sum('agree')} agree, ${sum('explained')} differ as explained, ${sum('differ')} differ, ${sum('notCompared')} not compared`,
  );
  const report = { passed: sum('agree') + sum('explained'), failed: sum('differ') };
  if (values.report !== undefined) await writeFile(values.report, JSON.stringify(report));
  return report.failed === 0;
}

async function main(): Promise<number> {
  if (values.help) {
    console.log(usage);
    return 0;
  }
  if (values.kubeconfig !== undefined) {
    using kube = subjectOf(await readFile(values.kubeconfig, 'utf8'), { hasControllers: true, hasCaches: true });
    return (await compareAll(kube)) ? 0 : 1;
  }
  const binaries = await findControlPlane({ mayBuild: true, report: console.log });
  if ('missing' in binaries) {
    console.log(`conformance:kube is skipped, for there is no real kube-apiserver: ${binaries.missing}`);
    return 0;
  }
  console.log(`real control plane ${oracleVersion}: ${binaries.origin}`);
  await using plane = await startControlPlane(binaries);
  using kube = subjectOf(plane.kubeconfig, { hasControllers: plane.hasControllers, hasCaches: true });
  return (await compareAll(kube)) ? 0 : 1;
}

process.exitCode = await main();
