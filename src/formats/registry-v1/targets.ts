import { TerminalError } from '../../base/index.ts';
import type { InstallMode } from './csv.ts';

interface TargetRequest {
  readonly targets: readonly string[];
  readonly installNamespace: string;
  readonly modes: readonly InstallMode[];
}

function problemOfOne({ targets, installNamespace }: TargetRequest): { mode: InstallMode; text: string } {
  const [target = ''] = targets;
  if (target === '') return { mode: 'AllNamespaces', text: 'targeting all namespaces' };
  if (target === installNamespace) return { mode: 'OwnNamespace', text: 'targeting own namespace' };
  return { mode: 'SingleNamespace', text: `target namespaces [${targets.join(' ')}]` };
}

function problemOf(request: TargetRequest): string | undefined {
  const { targets, installNamespace, modes } = request;
  const set = new Set(targets);
  const cannot = `supported install modes [${modes.join(' ')}] do not support`;
  if (set.size === 0) {
    const least = modes.includes('MultiNamespace') ? 'at least' : 'exactly';
    return `${least} one target namespace must be specified`;
  }
  if (set.size === 1) {
    const { mode, text } = problemOfOne(request);
    return modes.includes(mode) ? undefined : `${cannot} ${text}`;
  }
  if (set.has(installNamespace) && !modes.includes('OwnNamespace')) return `${cannot} targeting own namespace`;
  const isGood = modes.includes('MultiNamespace') && !set.has('');
  return isGood ? undefined : `${cannot} target namespaces [${targets.join(' ')}]`;
}

/** The namespaces that the operator is to watch, `[""]` for all, each once, after checking them against what it supports.
 *  Without a request: all, where that is supported.
 *  @throws TerminalError InvalidTargets
 *  @see docs/spec/registry-v1-rendering.md#target-namespaces-inside-the-renderer */
export function resolveTargets(
  requested: readonly string[],
  installNamespace: string,
  modes: readonly InstallMode[],
): readonly string[] {
  const isDefault = requested.length === 0 && modes.includes('AllNamespaces');
  const targets = isDefault ? [''] : requested;
  const problem = problemOf({ targets, installNamespace, modes });
  if (problem === undefined) return [...new Set(targets)];
  throw new TerminalError(
    'InvalidTargets',
    `invalid option(s): invalid target namespaces [${targets.join(' ')}]: ${problem}`,
  );
}

/** Whether the operator watches the whole cluster. */
export function isEverywhere(targets: readonly string[]): boolean {
  return targets.length === 1 && targets[0] === '';
}
