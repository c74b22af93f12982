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
  'HOME',
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
  'REGISTRY_AUTH_FILE',
  'DOCKER_CONFIG',
];

function environment(kubeconfig: string): Record<string, string> {
  const passed = passedVariables.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), KUBECONFIG: kubeconfig, NO_COLOR: '1' };
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

async function execute(
  args: readonly string[],
  folder: string,
  run: { kubeconfig: string; signal: AbortSignal },
): Promise<CommandOutput> {
  const [, bin = ''] = process.argv;
  const { promise, resolve, reject } = Promise.withResolvers<CommandOutput>();
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMebibytes}`, bin, ...args], {
    cwd: folder,
    env: environment(run.kubeconfig),
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

/** Runs this very program once more as the viewer, in a folder of its own that is deleted afterwards. */
export const runCommand: RunCommand = async ({ args, files, kubeconfig, signal }: CommandRun) => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-console-'));
  try {
    for (const [name, content] of files) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
    const own = join(folder, 'kubeconfig');
    if ('document' in kubeconfig) await writeFile(own, JSON.stringify(kubeconfig.document), { mode: 0o600 });
    const path = 'document' in kubeconfig ? own : kubeconfig.path;
    return await execute(args, folder, { kubeconfig: path, signal });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
