import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const timeoutMs = 60_000;

/** A kubectl on this machine. */
export interface FoundKubectl {
  /** `1.33` */
  readonly version: string;
  readonly minor: number;
  readonly path: string;
}

/** What a command left. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function candidates(): string[] {
  const folders = [
    ...(process.env['LONGSHORE_KUBECTL_DIR'] ?? '').split(delimiter),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  const files = folders.filter((folder) => folder !== '').map((folder) => join(folder, 'kubectl'));
  // Versions often stand beside the one that PATH leads to.
  const beside = files.filter((file) => existsSync(file)).map((file) => dirname(realpathSync(file)));
  const named = [...new Set([...folders.filter((folder) => folder !== '' && existsSync(folder)), ...beside])].flatMap(
    (folder) =>
      readdirSync(folder)
        .filter((name) => /^kubectl([.-]v?1\.\d+(\.\d+)?)?$/.test(name))
        .map((name) => join(folder, name)),
  );
  return [...new Set(named.map((file) => realpathSync(file)))];
}

async function versionOf(path: string): Promise<FoundKubectl | undefined> {
  try {
    const { stdout } = await execute(path, ['version', '--client', '-o', 'json'], { timeout: timeoutMs });
    const { clientVersion } = JSON.parse(stdout) as { clientVersion: { gitVersion: string } };
    const match = /^v1\.(\d+)\./.exec(clientVersion.gitVersion);
    return match === null ? undefined : { version: `1.${match[1]}`, minor: Number(match[1]), path };
  } catch {
    // No kubectl, or none for this machine.
    return undefined;
  }
}

/** The kubectls of this machine, one a minor version: those on PATH, beside the one there, and in `LONGSHORE_KUBECTL_DIR`. */
async function findKubectls(): Promise<FoundKubectl[]> {
  const found = await Promise.all(candidates().map(versionOf));
  const byVersion = new Map(found.filter((one) => one !== undefined).map((one) => [one.minor, one]));
  return [...byVersion.values()].sort((a, b) => a.minor - b.minor);
}

/** Those that tests run: the oldest and the newest of this machine, which differ most; every one with LONGSHORE_TEST_CLIENTS, as in CI. */
export async function chosenKubectls(): Promise<FoundKubectl[]> {
  const found = await findKubectls();
  const isEvery = process.env['LONGSHORE_TEST_CLIENTS'] !== undefined;
  return isEvery ? found : found.filter((_, index) => index === 0 || index === found.length - 1);
}

/** A folder of its own, with a kubeconfig and files for one kubectl. */
export class KubectlHome implements AsyncDisposable {
  readonly folder: string;
  readonly #kubectl: FoundKubectl;
  readonly #namespace: string;

  private constructor(folder: string, kubectl: FoundKubectl, namespace: string) {
    this.folder = folder;
    this.#kubectl = kubectl;
    this.#namespace = namespace;
  }

  static async open(kubectl: FoundKubectl, options: { kubeconfig: string; namespace: string }): Promise<KubectlHome> {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-kubectl-'));
    await writeFile(join(folder, 'config'), options.kubeconfig, { mode: 0o600 });
    return new KubectlHome(folder, kubectl, options.namespace);
  }

  /** Writes a file for `-f`; its path. */
  async file(name: string, content: string | object, mode = 0o644): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2), { mode });
    return path;
  }

  /** Runs a command whose arguments are separated by blanks, in the namespace of this home; `rest` are arguments that hold blanks. */
  async run(
    command: string,
    rest: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> {
    const child = this.start(command, rest, env);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (data: Buffer) => (stdout += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (stderr += data.toString()));
    const code = await new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      child.once('error', reject);
      child.once('close', (status) => {
        clearTimeout(timer);
        resolve(status ?? -1);
      });
    });
    return { code, stdout, stderr };
  }

  /** Like `run`; gives the standard output and throws unless the command succeeds. */
  async ok(command: string, rest: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, rest, env);
    if (code !== 0) throw new Error(`kubectl ${command} ${rest.join(' ')}: exit ${code}\n${stderr}${stdout}`);
    return stdout;
  }

  /** Starts a command; the caller ends it. */
  start(command: string, rest: readonly string[] = [], env: Readonly<Record<string, string>> = {}): ChildProcess {
    const args = [...command.split(' '), ...rest];
    return spawn(this.#kubectl.path, [`--namespace=${this.#namespace}`, ...args], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: this.folder,
        KUBECONFIG: join(this.folder, 'config'),
        KUBECACHEDIR: join(this.folder, 'cache'),
        ...env,
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
