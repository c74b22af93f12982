import { bundleDeploymentResource, bundleResource, group } from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';

/** An object that a command is about. */
export interface Target {
  readonly kind: 'Bundle' | 'BundleDeployment';
  readonly name: string;
}

const words: ReadonlyMap<string, Target['kind']> = new Map([
  ['bd', 'BundleDeployment'],
  ['bds', 'BundleDeployment'],
  ['bundledeployment', 'BundleDeployment'],
  [bundleDeploymentResource.plural, 'BundleDeployment'],
  ['bundle', 'Bundle'],
  [bundleResource.plural, 'Bundle'],
]);

/** Reads `bd/NAME` or `bundle/NAME`, with every word that kubectl takes for the two kinds; NAME alone is a BundleDeployment.
 *  @throws TerminalError InvalidOption */
export function parseTarget(text: string, kinds: readonly Target['kind'][]): Target {
  if (text !== '' && !text.includes('/') && kinds.includes('BundleDeployment')) {
    return { kind: 'BundleDeployment', name: text };
  }
  const [word = '', name = '', ...rest] = text.split('/');
  const kind = words.get(word.toLowerCase().replace(new RegExp(String.raw`(\.v1alpha1)?\.${group}$`), ''));
  if (kind !== undefined && kinds.includes(kind) && name !== '' && rest.length === 0) return { kind, name };
  const expected = kinds.map((kind) => (kind === 'Bundle' ? 'bundle/NAME' : 'bd/NAME')).join(' or ');
  throw new TerminalError('InvalidOption', `expected ${expected}, found "${text}"`);
}
