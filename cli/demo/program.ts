import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TerminalError } from '../../src/base/index.ts';

/** The output and exit status of a command. */
export interface CommandResult {
  readonly exitCode: number;
  /** Standard output and standard error in the order in which they came. */
  readonly output: string;
}

/** How a program is run. */
export interface ProgramOptions {
  readonly cwd: string;
  /** Beside what this process has. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** The cluster that a program works on. */
export interface ProgramCluster {
  readonly kubeconfigPath: string;
  readonly signal: AbortSignal;
}

const outputLimit = 1024 * 1024;

/** Runs a program as a person would; what it prints is bounded. Rejects when it cannot be started. */
export function runProgram(program: string, args: readonly string[], options: ProgramOptions): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: options.signal,
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      if (output.length < outputLimit) output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ exitCode: code ?? 1, output }));
  });
}

/** Where the folder `examples` is. */
const examplesParent = fileURLToPath(new URL('../../', import.meta.url));

/** Programs are those of this Node.js: `longshore` is this very program, `node` runs a file of the examples. */
function nodeArguments([program, ...args]: readonly string[]): readonly string[] {
  const [, bin = ''] = process.argv;
  return program === 'longshore' ? [bin, ...args] : args;
}

function optionsOn({ kubeconfigPath, signal }: ProgramCluster): ProgramOptions {
  return { cwd: examplesParent, env: { NO_COLOR: '1', KUBECONFIG: kubeconfigPath }, signal };
}

/** Runs this very program once more, where its examples are, on the cluster of the demo. */
export async function runLongshore(args: readonly string[], cluster: ProgramCluster): Promise<CommandResult> {
  return await runProgram(process.execPath, nodeArguments(['longshore', ...args]), optionsOn(cluster));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Starts `longshore …` or `node …`, which runs until it is disposed of; resolves to the first line that it prints.
 *  @throws TerminalError DemoFailed when it ends before */
export async function startInBackground(
  words: readonly string[],
  cluster: ProgramCluster,
  background: AsyncDisposableStack,
): Promise<string> {
  const { cwd, env } = optionsOn(cluster);
  const child = spawn(process.execPath, nodeArguments(words), {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  background.defer(() => end(child));
  const options = { signal: cluster.signal };
  const lines = createInterface({ input: child.stdout, ...options });
  const [line] = (await Promise.race([once(lines, 'line', options), once(lines, 'close', options)])) as [string?];
  if (line === undefined) throw new TerminalError('DemoFailed', `${words.join(' ')}: ended with ${child.exitCode}`);
  return line;
}
