import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const downloadDeadlineMs = 10 * 60_000;
const buildDeadlineMs = 60 * 60_000;

/** Programs written in Go that the platform is compared with, of one version. */
export interface GoProject {
  /** The folder in the cache, and for messages. */
  readonly name: string;
  readonly version: string;
  readonly programs: readonly string[];
  /** Fills the folder with the source. */
  readonly download: (source: string, work: string) => Promise<void>;
  /** What lets the programs run on one machine, outside of a cluster. */
  readonly adapt: (edit: EditSource) => Promise<void>;
  /** Of `go build`. */
  readonly buildArguments: readonly string[];
  /** Copies the CustomResourceDefinitions to a folder. */
  readonly copyCrds: (source: string, target: string) => Promise<void>;
  /** The command that builds them. */
  readonly command: string;
}

/** Built programs. */
export interface GoPrograms {
  readonly pathOf: (program: string) => string;
  /** Paths of YAML files. */
  readonly crds: readonly string[];
}

/** Why there are none. */
export interface NoPrograms {
  readonly missing: string;
}

/** Changes a file of the source; fails when there is nothing to change. */
export type EditSource = (path: string, replacements: readonly (readonly [string, string])[]) => Promise<void>;

function folderOf({ name, version }: GoProject): string {
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(root, 'longshore', name, version);
}

async function programsIn(folder: string, { programs }: GoProject): Promise<GoPrograms | undefined> {
  try {
    for (const name of programs) await access(join(folder, name), constants.X_OK);
    const crds = (await readdir(join(folder, 'crds'))).toSorted().map((name) => join(folder, 'crds', name));
    return { pathOf: (program) => join(folder, program), crds };
  } catch {
    return undefined;
  }
}

function editIn(source: string, { name, version }: GoProject): EditSource {
  return async (path, replacements) => {
    const file = join(source, path);
    let text = await readFile(file, 'utf8');
    for (const [before, after] of replacements) {
      if (!text.includes(before)) throw new Error(`${path} of ${name} ${version} has no ${before} to replace`);
      text = text.replaceAll(before, after);
    }
    await writeFile(file, text);
  };
}

async function compile(project: GoProject, source: string, target: string): Promise<void> {
  const { name, version, programs, buildArguments } = project;
  const args = ['build', '-p=2', '-trimpath', '-ldflags', '-s -w', ...buildArguments, '-o', `${target}/`];
  const child = spawn('go', [...args, ...programs.map((program) => `./cmd/${program}`)], {
    cwd: source,
    env: { ...process.env, GOWORK: 'off', CGO_ENABLED: '0' },
    signal: AbortSignal.timeout(buildDeadlineMs),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let tail = '';
  child.stderr.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-2000);
  });
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status) => resolve(status ?? 1));
  });
  if (code !== 0) throw new Error(`go build of ${name} ${version} failed:\n${tail}`);
}

/** Builds in a folder of its own and renames it, so that an interrupted build leaves nothing incomplete. */
async function build(project: GoProject, report: (line: string) => void): Promise<void> {
  const target = folderOf(project);
  const work = `${target}.building-${process.pid}`;
  const source = join(work, 'source');
  await mkdir(work, { recursive: true });
  try {
    report(`downloading ${project.name} ${project.version} …`);
    await project.download(source, work);
    await project.adapt(editIn(source, project));
    report(`building ${project.programs.join(', ')} (minutes, the first time) …`);
    await compile(project, source, work);
    await project.copyCrds(source, join(work, 'crds'));
    await rm(source, { recursive: true });
    await rm(target, { recursive: true, force: true });
    await rename(work, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** A program of this machine, which must succeed in time. */
export async function runTool(program: string, args: readonly string[], cwd: string): Promise<string> {
  return (await run(program, args, { cwd, timeout: downloadDeadlineMs })).stdout;
}

/** Checks a tag or commit of a public repository out into a new folder. */
export async function checkOut(repository: string, revision: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const git = (...args: string[]): Promise<string> => runTool('git', args, folder);
  await git('init', '--quiet');
  await git('fetch', '--quiet', '--depth', '1', repository, revision);
  await git('-c', 'advice.detachedHead=false', 'checkout', '--quiet', 'FETCH_HEAD');
}

/** The programs: from the cache, or, where `mayBuild`, built once with the Go toolchain. `report` takes lines of progress. */
export async function findGoPrograms(
  project: GoProject,
  { mayBuild, report }: { readonly mayBuild: boolean; readonly report: (line: string) => void },
): Promise<GoPrograms | NoPrograms> {
  const cached = await programsIn(folderOf(project), project);
  if (cached !== undefined) return cached;
  if (!mayBuild) return { missing: `none is built yet; install Go and run ${project.command}` };
  try {
    await build(project, report);
  } catch (thrown) {
    return { missing: `it cannot be built here: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
  return (await programsIn(folderOf(project), project)) ?? { missing: 'the build left no programs' };
}

/** Controllers of a repository, started by a program of this project that is compiled into it. */
export interface HostedProgram extends Pick<GoProject, 'name' | 'adapt' | 'command'> {
  readonly repository: string;
  readonly commit: string;
  /** The program; its file is copied to the folder of this name below `cmd/`. */
  readonly program: string;
  readonly mainPath: string;
  /** Of `go build`, beside those of a repository with its dependencies in `vendor/`. */
  readonly buildArguments?: readonly string[];
}

/** Such a program: from the cache, by commit and the content of its file, or, where `mayBuild`, built once. It has no CustomResourceDefinitions: scenarios
 *  run with those of Longshore.
 *  @returns its path */
export async function findHostedProgram(
  { repository, commit, program, mainPath, buildArguments = [], ...project }: HostedProgram,
  options: { readonly mayBuild: boolean; readonly report: (line: string) => void },
): Promise<{ readonly program: string } | NoPrograms> {
  const variant = createHash('sha256')
    .update(await readFile(mainPath))
    .digest('hex')
    .slice(0, 8);
  const found = await findGoPrograms(
    {
      ...project,
      version: `${commit.slice(0, 12)}-${variant}`,
      programs: [program],
      download: async (source) => {
        await checkOut(repository, commit, source);
        const target = join(source, 'cmd', program);
        await mkdir(target, { recursive: true });
        await cp(mainPath, join(target, 'main.go'));
      },
      buildArguments: ['-mod=vendor', '-buildvcs=false', ...buildArguments],
      copyCrds: async (_source, target) => {
        await mkdir(target);
      },
    },
    options,
  );
  return 'missing' in found ? found : { program: found.pathOf(program) };
}
