/** Published bundles read and rendered by two workers, beside the renderer of operator-controller. */
import { spawn } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { operatorControllerProject } from '../test/cluster-extensions/binaries.ts';
import { corpusBundlesDir, expectedModes, expectedRenderings } from '../test/support/corpus.ts';
import { findGoPrograms, type GoProject } from '../test/support/go-programs.ts';
import { compileFiles } from './compiled.ts';
import { type Measurement, median } from './table.ts';

const workers = 2;
/** Of the 114 renderings of the corpus: 2,166. */
const rounds = 19;
const turns = 3;
const mebibyte = 2 ** 20;

/** What one rendering takes. */
export interface RenderJob {
  /** The folder of a bundle. */
  readonly path: string;
  readonly installNamespace: string;
  readonly targetNamespaces: readonly string[];
}

/** What all of them took. */
export interface RenderTotals {
  readonly renderings: number;
  /** Of the whole process, its start included. */
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly peakBytes: number;
}

/** A program within the module, whose renderer no other module may import. */
const project: GoProject = {
  ...operatorControllerProject,
  name: 'registry-v1-renderer',
  programs: ['render-bench'],
  download: async (source, work) => {
    await operatorControllerProject.download(source, work);
    const folder = join(source, 'cmd/render-bench');
    await mkdir(folder);
    await copyFile(join(import.meta.dirname, 'render-peer/main.go'), join(folder, 'main.go'));
  },
  adapt: async () => {},
  copyCrds: async (_source, target) => {
    await mkdir(target);
  },
  command: 'npm run bench -- render',
};

function jobs(): readonly RenderJob[] {
  return expectedRenderings().flatMap(({ bundle, installNamespace, renderings }) =>
    Object.entries(renderings)
      .filter(([, { objects }]) => objects !== undefined)
      .map(([mode]) => ({
        path: join(corpusBundlesDir, bundle),
        installNamespace,
        targetNamespaces: expectedModes[mode] ?? [],
      })),
  );
}

/** Runs one of the two programs on all jobs. */
async function run(command: readonly string[], input: string): Promise<RenderTotals> {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, String(workers), String(rounds)], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  return JSON.parse(await text(child.stdout)) as RenderTotals;
}

function medianOf(runs: readonly RenderTotals[], member: keyof RenderTotals): number {
  return median(runs.map((totals) => totals[member]));
}

function shown(runs: readonly RenderTotals[]): string {
  const [cpuMs, wallMs, peakBytes] = [medianOf(runs, 'cpuMs'), medianOf(runs, 'wallMs'), medianOf(runs, 'peakBytes')];
  return `CPU ${(cpuMs / 1000).toFixed(1)} s, wall ${(wallMs / 1000).toFixed(1)} s, memory ${Math.round(peakBytes / mebibyte)} MiB`;
}

/** Both programs in turn; the medians. */
export async function peerMeasurements(): Promise<Measurement[]> {
  const programs = await findGoPrograms(project, { mayBuild: true, report: console.log });
  const what = `${rounds * jobs().length} renderings, ${workers} workers`;
  if ('missing' in programs) return [{ what, value: `not measured: ${programs.missing}` }];
  await using compiled = await compileFiles(['bench/render-jobs-child.ts']);
  const commands = [
    [process.execPath, compiled.pathOf('bench/render-jobs-child.ts')],
    [programs.pathOf('render-bench')],
  ];
  const input = JSON.stringify(jobs());
  const runs: RenderTotals[][] = commands.map(() => []);
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [index, command] of commands.entries()) runs[index]?.push(await run(command, input));
  }
  const [ours = [], theirs = []] = runs;
  const ratio = (member: keyof RenderTotals): number => medianOf(ours, member) / medianOf(theirs, member);
  const row = (name: string, member: keyof RenderTotals, goal: string): Measurement => {
    const value = ratio(member);
    return { what: `${what}, beside the Go renderer: ${name}, ratio`, value: value.toFixed(2), goal, ratio: 1 / value };
  };
  return [
    { what, value: shown(ours) },
    { what: `${what}: the renderer of operator-controller`, value: shown(theirs) },
    row('CPU', 'cpuMs', 'at most 0.25'),
    row('wall', 'wallMs', 'at most 0.33'),
    row('memory', 'peakBytes', 'at most 2'),
  ];
}
