import { execFile, spawn } from 'node:child_process';
import { access, constants, cp, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const buildDeadlineMs = 25 * 60_000;
const downloadDeadlineMs = 3 * 60_000;
const hint = 'set KUBEBUILDER_ASSETS to a folder that holds kube-apiserver and etcd, or install Go';

/** The Kubernetes version that is compared with: the one whose types and answers the embedded server has. */
export const oracleVersion = 'v1.33.4';

/** Where the programs of a real control plane are. */
export interface ControlPlaneBinaries {
  readonly kubeApiServer: string;
  readonly etcd: string;
  /** Absent with envtest binaries: then garbage collection, namespace deletion and so on do not happen. */
  readonly kubeControllerManager?: string;
  /** Where they come from, for people. */
  readonly origin: string;
}

/** Why there are none. */
export interface NoBinaries {
  readonly missing: string;
}

async function isProgram(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function binariesIn(folder: string, origin: string): Promise<ControlPlaneBinaries | undefined> {
  const at = (name: string): string => join(folder, name);
  if (!(await isProgram(at('kube-apiserver'))) || !(await isProgram(at('etcd')))) return undefined;
  const found = { kubeApiServer: at('kube-apiserver'), etcd: at('etcd'), origin };
  const manager = at('kube-controller-manager');
  return (await isProgram(manager)) ? { ...found, kubeControllerManager: manager } : found;
}

function cacheFolder(): string {
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(root, 'longshore', 'control-plane', oracleVersion);
}

async function fromSetupEnvtest(): Promise<ControlPlaneBinaries | undefined> {
  try {
    const args = ['use', oracleVersion.slice(1), '--print', 'path'];
    const { stdout } = await run('setup-envtest', args, { timeout: 300_000 });
    return await binariesIn(stdout.trim(), 'setup-envtest');
  } catch {
    // Not installed, or nothing to download from: the next way may do.
    return undefined;
  }
}

function buildEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' };
}

async function build(folder: string, args: readonly string[], report: (line: string) => void): Promise<void> {
  const startedMs = Date.now();
  const deadline = AbortSignal.timeout(buildDeadlineMs);
  const tick = setInterval(() => report(`  still building (${Math.round((Date.now() - startedMs) / 1000)} s)`), 15_000);
  try {
    const child = spawn('go', ['build', ...args], {
      cwd: folder,
      signal: deadline,
      env: buildEnvironment(),
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
    if (code !== 0) throw new Error(`go build ${args.join(' ')} in ${folder} failed:\n${tail}`);
  } finally {
    clearInterval(tick);
  }
}

/** Builds into a folder of its own and moves it into place whole, so that an interrupted build leaves nothing half there. */
async function fromGoModules(report: (line: string) => void): Promise<ControlPlaneBinaries | undefined> {
  const target = cacheFolder();
  const work = `${target}.building-${process.pid}`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  try {
    await cp(join(import.meta.dirname, 'go'), join(work, 'source'), { recursive: true });
    // Where the modules cannot be had, that shows in minutes, not after the whole time for building.
    await run('go', ['mod', 'download', 'k8s.io/kubernetes'], {
      cwd: join(work, 'source', 'kubernetes'),
      env: buildEnvironment(),
      timeout: downloadDeadlineMs,
    });
    const stamp = 'k8s.io/component-base/version';
    const [major = '1', minor = ''] = oracleVersion.slice(1).split('.');
    const version = `-X ${stamp}.gitVersion=${oracleVersion} -X ${stamp}.gitMajor=${major} -X ${stamp}.gitMinor=${minor}`;
    for (const name of ['kube-apiserver', 'kube-controller-manager']) {
      report(`building ${name} ${oracleVersion} from the Go modules (minutes, the first time) …`);
      const args = [
        '-trimpath',
        '-ldflags',
        `-s -w ${version}`,
        '-o',
        join(work, name),
        `k8s.io/kubernetes/cmd/${name}`,
      ];
      await build(join(work, 'source', 'kubernetes'), args, report);
    }
    report('building etcd from the Go modules …');
    await build(
      join(work, 'source', 'etcd'),
      ['-trimpath', '-ldflags', '-s -w', '-o', join(work, 'etcd'), '.'],
      report,
    );
    await rm(join(work, 'source'), { recursive: true });
    await rm(target, { recursive: true, force: true });
    await rename(work, target);
    return await binariesIn(target, 'built from the Go modules');
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function obtain(report: (line: string) => void): Promise<ControlPlaneBinaries | NoBinaries> {
  const downloaded = await fromSetupEnvtest();
  if (downloaded !== undefined) return downloaded;
  try {
    await run('go', ['version']);
  } catch {
    return { missing: `there is no Go toolchain; ${hint}` };
  }
  try {
    return (await fromGoModules(report)) ?? { missing: 'the build left no programs' };
  } catch (thrown) {
    return { missing: `they cannot be built here: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}

/** The programs of a real control plane: from `KUBEBUILDER_ASSETS`, from the cache, by `setup-envtest`, or built with the Go toolchain.
 *  `report` takes lines of progress; without `mayBuild` only what is already there counts. */
export async function findControlPlane(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<ControlPlaneBinaries | NoBinaries> {
  const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
  if (assets !== '') {
    const found = await binariesIn(assets, 'KUBEBUILDER_ASSETS');
    return found ?? { missing: `KUBEBUILDER_ASSETS is ${assets}, which holds no kube-apiserver and etcd` };
  }
  const cached = await binariesIn(cacheFolder(), 'the cache');
  if (cached !== undefined) return cached;
  if (options.mayBuild) return await obtain(options.report);
  return { missing: `none is built yet; ${hint} and run npm run conformance:kube` };
}
