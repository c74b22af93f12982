import { execFile, spawn } from 'node:child_process';
import { access, constants, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const downloadDeadlineMs = 10 * 60_000;
const buildDeadlineMs = 60 * 60_000;

/** A reference implementation that is built from its public repository, with the modules that it vendors. */
export interface GoProgram {
  /** Of the program, and of its folder in the cache. */
  readonly name: string;
  readonly repository: string;
  readonly commit: string;
  /** Distinguishes builds of one commit that were adapted in different ways. */
  readonly variant?: string;
  /** `./cmd/NAME` */
  readonly package: string;
  /** Changes the source before it is built. */
  adapt(source: string): Promise<void>;
  /** Takes files of the source into the folder of the program, which is kept. */
  keep?(source: string, folder: string): Promise<void>;
}

/** Why there is none. */
export interface NoProgram {
  readonly missing: string;
}

/** A change to a file of a source, which fails when there is nothing to change. */
export async function editSource(path: string, replacements: readonly (readonly [string, string])[]): Promise<void> {
  let text = await readFile(path, 'utf8');
  for (const [before, after] of replacements) {
    if (!text.includes(before)) throw new Error(`${path} has no ${before} to replace`);
    text = text.replaceAll(before, after);
  }
  await writeFile(path, text);
}

function cacheFolder({ name, commit, variant }: GoProgram): string {
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(root, 'longshore', name, [commit.slice(0, 12), variant].filter(Boolean).join('-'));
}

async function download({ repository, commit }: GoProgram, source: string): Promise<void> {
  const git = (...args: string[]) => run('git', args, { cwd: source, timeout: downloadDeadlineMs });
  await mkdir(source, { recursive: true });
  await git('init', '--quiet');
  await git('fetch', '--quiet', '--depth', '1', repository, commit);
  await git('checkout', '--quiet', 'FETCH_HEAD');
}

async function compile({ repository, commit, package: place }: GoProgram, source: string, target: string) {
  const args = ['build', '-mod=vendor', '-p=2', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', target];
  const child = spawn('go', [...args, place], {
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
  if (code !== 0) throw new Error(`go build of ${repository} at ${commit} failed:\n${tail}`);
}

/** Builds in a folder of its own and renames it, so that an interrupted build leaves nothing incomplete. */
async function build(program: GoProgram, report: (line: string) => void): Promise<void> {
  const target = cacheFolder(program);
  const work = `${target}.building-${process.pid}`;
  const source = join(work, 'source');
  try {
    report(`cloning ${program.repository} …`);
    await download(program, source);
    await program.adapt(source);
    report(`building ${program.name} (minutes, the first time) …`);
    await compile(program, source, join(work, program.name));
    await program.keep?.(source, work);
    await rm(source, { recursive: true });
    await rm(target, { recursive: true, force: true });
    await rename(work, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function isBuilt(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The folder of a built program, which has its name: from the cache, or, where `mayBuild`, built once with git and the Go toolchain. `report` takes lines
 *  of progress. */
export async function findGoProgram(
  program: GoProgram,
  options: { readonly mayBuild: boolean; readonly report: (line: string) => void },
): Promise<{ readonly folder: string } | NoProgram> {
  const folder = cacheFolder(program);
  const path = join(folder, program.name);
  if (await isBuilt(path)) return { folder };
  if (!options.mayBuild) return { missing: 'none is built yet; install Go' };
  try {
    await build(program, options.report);
  } catch (thrown) {
    return { missing: `it cannot be built here: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
  return (await isBuilt(path)) ? { folder } : { missing: 'the build left no program' };
}
