import { TerminalError } from '../../src/base/index.ts';

/** The target namespaces of a new OperatorGroup: the named ones, else what the operator supports, its own namespace preferred; empty for all.
 *  @throws TerminalError InvalidOption where namespaces must be named */
export function targetsOf(
  named: readonly string[],
  namespace: string,
  supportedModes: readonly string[],
): readonly string[] {
  if (named.length > 0) return named;
  if (supportedModes.includes('OwnNamespace') || supportedModes.length === 0) return [namespace];
  if (supportedModes.includes('AllNamespaces')) return [];
  const text = `the operator supports only ${supportedModes.join(', ')}: name the namespaces that it watches with --watch-namespace`;
  throw new TerminalError('InvalidOption', text);
}
