import { spawn } from 'node:child_process';
import { TerminalError } from '../../src/base/index.ts';

export interface CommandResult {
  readonly exitCode: number;
  /** Standard output and standard error in the order in which they came. */
  readonly output: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly kubeconfigPath: string;
  readonly signal: AbortSignal;
}

const outputLimit = 1024 * 1024;

/** Runs `kubectl` as a person would, in `cwd`; what it prints is bounded.
 *  @throws TerminalError KubectlMissing */
export function runKubectl(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('kubectl', [...args], {
      cwd: options.cwd,
      env: { ...process.env, KUBECONFIG: options.kubeconfigPath, NO_COLOR: '1', KUBECTL_KUBERC: 'false' },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: options.signal,
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      if (output.length < outputLimit) output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (thrown: NodeJS.ErrnoException) => {
      const isMissing = thrown.code === 'ENOENT';
      reject(isMissing ? new TerminalError('KubectlMissing', 'kubectl: not found in PATH', { cause: thrown }) : thrown);
    });
    child.once('close', (code) => resolve({ exitCode: code ?? 1, output }));
  });
}

/** Whether a kubectl that runs is in PATH. */
export async function hasKubectl(options: CommandOptions): Promise<boolean> {
  try {
    return (await runKubectl(['version', '--client'], options)).exitCode === 0;
  } catch {
    return false;
  }
}
