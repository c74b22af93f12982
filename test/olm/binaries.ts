import { execFile, spawn } from 'node:child_process';
import { access, constants, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const moduleName = 'github.com/operator-framework/operator-lifecycle-manager';
const downloadDeadlineMs = 10 * 60_000;
const buildDeadlineMs = 40 * 60_000;
const programs = ['olm', 'catalog', 'package-server'] as const;

/** The release of Operator Lifecycle Manager that is compared with. */
export const olmVersion = 'v0.46.0';

/** Where the programs of OLM are, and its CustomResourceDefinitions. */
export interface OlmBinaries {
  readonly olm: string;
  readonly catalog: string;
  readonly packageServer: string;
  /** Paths of YAML files. */
  readonly crds: readonly string[];
}

/** Why there are none. */
export interface NoOlm {
  readonly missing: string;
}

function cacheFolder(): string {
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(root, 'longshore', 'olm', olmVersion);
}

async function binariesIn(folder: string): Promise<OlmBinaries | undefined> {
  try {
    for (const name of programs) await access(join(folder, name), constants.X_OK);
    const crdFolder = join(folder, 'crds');
    const crds = (await readdir(crdFolder)).toSorted().map((name) => join(crdFolder, name));
    const at = (name: (typeof programs)[number]): string => join(folder, name);
    return { olm: at('olm'), catalog: at('catalog'), packageServer: at('package-server'), crds };
  } catch {
    return undefined;
  }
}

/** A change to a file of the source, which fails when there is nothing to change. */
async function edit(path: string, replacements: readonly (readonly [string, string])[]): Promise<void> {
  let text = await readFile(path, 'utf8');
  for (const [before, after] of replacements) {
    if (!text.includes(before)) throw new Error(`${path} of ${olmVersion} has no ${before} to replace`);
    text = text.replace(before, after);
  }
  await writeFile(path, text);
}

/** Lets several of them run on one machine, outside of a cluster. What they do is not changed. */
async function adapt(source: string): Promise<void> {
  // Metrics have no address of their own: all programs would listen on one port.
  await edit(join(source, 'pkg/lib/server/server.go'), [
    ['return ":8080"', 'return os.Getenv("METRICS_ADDRESS")'],
    ['\t"net/http"\n', '\t"net/http"\n\t"os"\n'],
  ]);
  // The package server takes a kubeconfig for everything but authorization.
  await edit(join(source, 'pkg/package-server/server/server.go'), [
    [
      'authorizationOptions := genericoptions.NewDelegatingAuthorizationOptions().',
      'authorizationOptions := genericoptions.NewDelegatingAuthorizationOptions()\n' +
        '\tauthorizationOptions.RemoteKubeConfigFile = o.Kubeconfig\n' +
        '\tauthorizationOptions = authorizationOptions.',
    ],
  ]);
}

/** The module's folder in Go's read-only cache. */
async function downloadModule(cwd: string): Promise<string> {
  const args = ['mod', 'download', '-json', `${moduleName}@${olmVersion}`];
  const { stdout } = await run('go', args, { cwd, timeout: downloadDeadlineMs });
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

async function buildPrograms(source: string, target: string): Promise<void> {
  const packages = programs.map((name) => `./cmd/${name}`);
  const tags = 'containers_image_openpgp';
  const args = ['build', '-mod=mod', '-p=2', '-trimpath', '-tags', tags, '-ldflags', '-s -w', '-o', target];
  const child = spawn('go', [...args, ...packages], {
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
  if (code !== 0) throw new Error(`go build of ${moduleName} ${olmVersion} failed:\n${tail}`);
}

/** Builds in a folder of its own and renames it, so that an interrupted build leaves nothing incomplete. */
async function build(report: (line: string) => void): Promise<void> {
  const target = cacheFolder();
  const work = `${target}.building-${process.pid}`;
  const source = join(work, 'source');
  await mkdir(work, { recursive: true });
  try {
    report(`downloading ${moduleName} ${olmVersion} …`);
    await cp(await downloadModule(work), source, { recursive: true });
    await run('chmod', ['-R', 'u+w', source]);
    await adapt(source);
    report(`building ${programs.join(', ')} (minutes, the first time) …`);
    await buildPrograms(source, work);
    await cp(join(source, 'deploy/chart/crds'), join(work, 'crds'), { recursive: true });
    await rm(source, { recursive: true });
    await rm(target, { recursive: true, force: true });
    await rename(work, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The programs of the real OLM: from the cache, or, where `mayBuild`, built once with the Go toolchain. `report` takes lines of progress. */
export async function findOlm(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<OlmBinaries | NoOlm> {
  const cached = await binariesIn(cacheFolder());
  if (cached !== undefined) return cached;
  if (!options.mayBuild) return { missing: 'none is built yet; install Go and run npm run conformance:olm' };
  try {
    await build(options.report);
  } catch (thrown) {
    return { missing: `it cannot be built here: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
  return (await binariesIn(cacheFolder())) ?? { missing: 'the build left no programs' };
}
