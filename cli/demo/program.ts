import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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

/** Runs this very program once more, where its examples are, on the cluster of the demo. */
export async function runLongshore(
  args: readonly string[],
  { kubeconfigPath, signal }: { readonly kubeconfigPath: string; readonly signal: AbortSignal },
): Promise<CommandResult> {
  const [, bin = ''] = process.argv;
  const cwd = fileURLToPath(new URL('../../', import.meta.url));
  return await runProgram(process.execPath, [bin, ...args], {
    cwd,
    env: { NO_COLOR: '1', KUBECONFIG: kubeconfigPath },
    signal,
  });
}
