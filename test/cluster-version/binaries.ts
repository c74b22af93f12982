import { execFile, spawn } from 'node:child_process';
import { access, constants, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const repository = 'https://github.com/openshift/cluster-version-operator';
const downloadDeadlineMs = 10 * 60_000;
const buildDeadlineMs = 60 * 60_000;
const program = 'cluster-version-operator';
const definitions = 'vendor/github.com/openshift/api/config/v1/zz_generated.crd-manifests';
/** What the program watches. Other kinds of the group come with payloads. */
const definitionPattern =
  /_(?:clusterversions-Default|clusteroperators|featuregates|proxies|apiservers-Default|infrastructures-Default)\.crd\.yaml$/;

/** The commit of the cluster-version-operator that is compared with, of July 2026. */
export const operatorCommit = '6e719331fb5863141397f35b1f47bed42148a6dd';

/** The built cluster-version-operator, and the CustomResourceDefinitions that it needs. */
export interface OperatorBinary {
  readonly program: string;
  /** Paths of YAML files. */
  readonly crds: readonly string[];
}

/** Why there is none. */
export interface NoOperator {
  readonly missing: string;
}

function cacheFolder(): string {
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(root, 'longshore', program, operatorCommit.slice(0, 12));
}

async function binaryIn(folder: string): Promise<OperatorBinary | undefined> {
  try {
    await access(join(folder, program), constants.X_OK);
    const crds = (await readdir(join(folder, 'crds'))).toSorted().map((name) => join(folder, 'crds', name));
    return { program: join(folder, program), crds };
  } catch {
    return undefined;
  }
}

/** A change to a file of the source, which fails when there is nothing to change. */
async function edit(path: string, replacements: readonly (readonly [string, string])[]): Promise<void> {
  let text = await readFile(path, 'utf8');
  for (const [before, after] of replacements) {
    if (!text.includes(before)) throw new Error(`${path} of ${operatorCommit} has no ${before} to replace`);
    text = text.replaceAll(before, after);
  }
  await writeFile(path, text);
}

/** Shortens its intervals, all but the throttling of risks, and lets several run on one machine. What it does is not changed. */
async function adapt(source: string): Promise<void> {
  await edit(join(source, 'pkg/start/start.go'), [
    [
      'const (\n\tminResyncPeriod = 2 * time.Minute\n)',
      'var minResyncPeriod = func() time.Duration {\n' +
        '\tperiod, err := time.ParseDuration(os.Getenv("MIN_RESYNC_PERIOD"))\n' +
        '\tif err != nil {\n\t\tpanic(err)\n\t}\n\treturn period\n}()',
    ],
  ]);
  await edit(join(source, 'pkg/cvo/updatepayload.go'), [
    [
      'const (\n\ttargetUpdatePayloadsDir = "/etc/cvo/updatepayloads"\n)',
      'var targetUpdatePayloadsDir = os.Getenv("UPDATE_PAYLOADS_DIR")',
    ],
    // No kubelet runs the pod that downloads a payload.
    ['retrieveTimeout: 4 * time.Minute', 'retrieveTimeout: 6 * time.Second'],
  ]);
  await edit(join(source, 'pkg/cvo/cvo.go'), [
    ['statusInterval:             15 * time.Second', 'statusInterval:             500 * time.Millisecond'],
    ['Duration: time.Second * 10,', 'Duration: time.Millisecond * 300,'],
    ['Cap:      time.Second * 15,', 'Cap:      time.Millisecond * 450,'],
  ]);
  await edit(join(source, 'pkg/cvo/sync_worker.go'), [
    ['Duration: time.Second, Cap: 15 * time.Second', 'Duration: 100 * time.Millisecond, Cap: time.Second'],
  ]);
  // Of operators that take long: a second stands for a minute.
  await edit(join(source, 'pkg/cvo/status.go'), [
    ['m := 30 * time.Minute', 'm := 30 * time.Second'],
    ['-(40 * time.Minute)', '-(40 * time.Second)'],
  ]);
}

async function download(source: string): Promise<void> {
  const git = (...args: string[]) => run('git', args, { cwd: source, timeout: downloadDeadlineMs });
  await mkdir(source, { recursive: true });
  await git('init', '--quiet');
  await git('fetch', '--quiet', '--depth', '1', repository, operatorCommit);
  await git('checkout', '--quiet', 'FETCH_HEAD');
}

async function buildProgram(source: string, target: string): Promise<void> {
  const args = ['build', '-mod=vendor', '-p=2', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', target];
  const child = spawn('go', [...args, `./cmd/${program}`], {
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
  if (code !== 0) throw new Error(`go build of ${repository} at ${operatorCommit} failed:\n${tail}`);
}

/** Builds in a folder of its own and renames it, so that an interrupted build leaves nothing incomplete. */
async function build(report: (line: string) => void): Promise<void> {
  const target = cacheFolder();
  const work = `${target}.building-${process.pid}`;
  const source = join(work, 'source');
  try {
    report(`cloning ${repository} …`);
    await download(source);
    await adapt(source);
    report(`building ${program} (minutes, the first time) …`);
    await buildProgram(source, join(work, program));
    await mkdir(join(work, 'crds'));
    for (const name of await readdir(join(source, definitions))) {
      if (definitionPattern.test(name)) await cp(join(source, definitions, name), join(work, 'crds', name));
    }
    await rm(source, { recursive: true });
    await rm(target, { recursive: true, force: true });
    await rename(work, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The real cluster-version-operator: from the cache, or, where `mayBuild`, built once with git and the Go toolchain. `report` takes lines of progress. */
export async function findOperator(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<OperatorBinary | NoOperator> {
  const cached = await binaryIn(cacheFolder());
  if (cached !== undefined) return cached;
  if (!options.mayBuild)
    return { missing: 'none is built yet; install Go and run npm run conformance:cluster-version' };
  try {
    await build(options.report);
  } catch (thrown) {
    return { missing: `it cannot be built here: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
  return (await binaryIn(cacheFolder())) ?? { missing: 'the build left no program' };
}
