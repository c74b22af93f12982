import { bundleDeploymentResource, bundleResource, clusterExtensionResource, group } from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';

/** An object that a command is about. */
export interface Target {
  readonly kind: 'Bundle' | 'BundleDeployment' | 'ClusterExtension';
  readonly name: string;
}

const words: ReadonlyMap<string, Target['kind']> = new Map([
  ['bd', 'BundleDeployment'],
  ['bds', 'BundleDeployment'],
  ['bundledeployment', 'BundleDeployment'],
  [bundleDeploymentResource.plural, 'BundleDeployment'],
  ['bundle', 'Bundle'],
  [bundleResource.plural, 'Bundle'],
  ['clusterextension', 'ClusterExtension'],
  [clusterExtensionResource.plural, 'ClusterExtension'],
]);

const forms: Readonly<Record<Target['kind'], string>> = {
  Bundle: 'bundle/NAME',
  BundleDeployment: 'bd/NAME',
  ClusterExtension: 'clusterextension/NAME',
};

/** Reads `bd/NAME`, `bundle/NAME` or `clusterextension/NAME`, with every word that kubectl takes for the kinds; NAME alone is a BundleDeployment.
 *  @throws TerminalError InvalidOption */
export function parseTarget(text: string, kinds: readonly Target['kind'][]): Target {
  if (text !== '' && !text.includes('/') && kinds.includes('BundleDeployment')) {
    return { kind: 'BundleDeployment', name: text };
  }
  const [word = '', name = '', ...rest] = text.split('/');
  const suffix = new RegExp(String.raw`(\.v1alpha1)?\.${group}$|(\.v1)?\.olm\.operatorframework\.io$`);
  const kind = words.get(word.toLowerCase().replace(suffix, ''));
  if (kind !== undefined && kinds.includes(kind) && name !== '' && rest.length === 0) return { kind, name };
  const expected = kinds.map((one) => forms[one]).join(' or ');
  throw new TerminalError('InvalidOption', `expected ${expected}, found "${text}"`);
}
