import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CommandOutput, CommandRun, RunCommand } from '../../console/server/index.ts';

const maxOutputBytes = 24 * 1024 * 1024;
const maxMessageBytes = 256 * 1024;
const heapMebibytes = 512;
/** What a command needs of the environment; credentials of this process are not among it. */
const passedVariables = [
  'PATH',
  'TMPDIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
  'LONGSHORE_HELM',
];
/** Where registry credentials are: those of the viewer on a laptop, those of the server on a cluster. */
const ownVariables = ['HOME', 'REGISTRY_AUTH_FILE', 'DOCKER_CONFIG'];

function environment({ kubeconfig, helm }: Execution, folder: string): Record<string, string> {
  const isLaptop = 'path' in kubeconfig;
  const passed = [...passedVariables, ...(isLaptop ? ownVariables : [])].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const own = isLaptop ? { KUBECONFIG: kubeconfig.path } : { KUBECONFIG: writtenKubeconfig(folder), HOME: folder };
  const chosen = helm === undefined ? {} : { LONGSHORE_HELM: helm };
  return { ...Object.fromEntries(passed), ...own, ...chosen, NO_COLOR: '1' };
}

/** How a command is run. */
type Execution = Pick<CommandRun, 'kubeconfig' | 'signal'> & { readonly helm: string | undefined };

function writtenKubeconfig(folder: string): string {
  return join(folder, 'kubeconfig');
}

/** A text that stops growing at a limit. */
class Collected {
  readonly #chunks: Buffer[] = [];
  readonly #limit: number;
  #bytes = 0;
  isFull = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.isFull ||= this.#bytes > this.#limit;
    if (!this.isFull) this.#chunks.push(chunk);
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

async function execute(args: readonly string[], folder: string, run: Execution): Promise<CommandOutput> {
  const [, bin = ''] = process.argv;
  const { promise, resolve, reject } = Promise.withResolvers<CommandOutput>();
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMebibytes}`, bin, ...args], {
    cwd: folder,
    env: environment(run, folder),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: run.signal,
    killSignal: 'SIGKILL',
  });
  const stdout = new Collected(maxOutputBytes);
  const stderr = new Collected(maxMessageBytes);
  child.stdout.on('data', (chunk: Buffer) => {
    stdout.add(chunk);
    if (stdout.isFull) child.kill('SIGKILL');
  });
  child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
  child.once('error', (thrown) => {
    if (run.signal.aborted)
      resolve({ exitCode: 1, stdout: '', stderr: 'longshore: the command took too long, and was ended\n' });
    else reject(thrown);
  });
  child.once('close', (code) => {
    const tooLarge = stdout.isFull ? `longshore: the output is larger than ${maxOutputBytes} bytes\n` : '';
    resolve({ exitCode: code ?? 1, stdout: stdout.isFull ? '' : stdout.text(), stderr: `${stderr.text()}${tooLarge}` });
  });
  return await promise;
}

/** Runs this very program once more as the viewer, in a folder of its own that is deleted afterwards; charts are rendered by `helm`, if it is given. */
export function createRunCommand(helm?: string): RunCommand {
  return async ({ args, files, kubeconfig, signal }: CommandRun) => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-console-'));
    try {
      for (const [name, content] of files) {
        const path = join(folder, name);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
      }
      if ('document' in kubeconfig) {
        await writeFile(writtenKubeconfig(folder), JSON.stringify(kubeconfig.document), { mode: 0o600 });
      }
      return await execute(args, folder, { kubeconfig, signal, helm });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}
