import { TerminalError } from '../../src/base/index.ts';
import { type CommandResult, runProgram } from './program.ts';

export interface CommandOptions {
  readonly cwd: string;
  readonly kubeconfigPath: string;
  readonly signal: AbortSignal;
}

/** Runs `kubectl` as a person would, in `cwd`; what it prints is bounded.
 *  @throws TerminalError KubectlMissing */
export async function runKubectl(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { cwd, kubeconfigPath, signal } = options;
  const env = { KUBECONFIG: kubeconfigPath, NO_COLOR: '1', KUBECTL_KUBERC: 'false' };
  try {
    return await runProgram('kubectl', args, { cwd, env, signal });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    throw new TerminalError('KubectlMissing', 'kubectl: not found in PATH', { cause: thrown });
  }
}

/** Whether a kubectl that runs is in PATH. */
export async function hasKubectl(options: CommandOptions): Promise<boolean> {
  try {
    return (await runKubectl(['version', '--client'], options)).exitCode === 0;
  } catch {
    return false;
  }
}
