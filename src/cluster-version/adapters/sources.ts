import { bundleDeploymentResource } from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';
import type { ObjectRef } from '../../kube/index.ts';

/** On a ClusterOperator: the objects that its conditions and versions are read from, `KIND/NAMESPACE/NAME` or `KIND/NAME`, separated by commas. */
export const statusFromAnnotation = 'core.rukpak.io/status-from';

/** Kinds that a ClusterOperator may be read from. */
export type SourceKind =
  | 'BundleDeployment'
  | 'ClusterServiceVersion'
  | 'DaemonSet'
  | 'Deployment'
  | 'HelmRelease'
  | 'StatefulSet'
  | 'Subscription';

/** An object that a component consists of. */
export interface StatusSource {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
}

interface KindFacts {
  readonly apiVersion: string;
  readonly isNamespaced: boolean;
}

const apps: KindFacts = { apiVersion: 'apps/v1', isNamespaced: true };
const olm: KindFacts = { apiVersion: 'operators.coreos.com/v1alpha1', isNamespaced: true };

const kinds: Readonly<Record<SourceKind, KindFacts>> = {
  BundleDeployment: { apiVersion: bundleDeploymentResource.apiVersion, isNamespaced: false },
  ClusterServiceVersion: olm,
  DaemonSet: apps,
  Deployment: apps,
  // Recorded in Secrets, see helm-releases.ts.
  HelmRelease: { apiVersion: 'v1', isNamespaced: true },
  StatefulSet: apps,
  Subscription: olm,
};

/** Of one ClusterOperator. */
const maxSources = 32;

function isSourceKind(kind: string): kind is SourceKind {
  return Object.hasOwn(kinds, kind);
}

function parseOne(text: string): StatusSource {
  const [kind = '', ...rest] = text.split('/');
  const isNamespaced = isSourceKind(kind) && kinds[kind].isNamespaced;
  const isComplete = rest.length === (isNamespaced ? 2 : 1) && rest.every((part) => part !== '');
  if (isSourceKind(kind) && isComplete) {
    const [namespace = '', name = ''] = isNamespaced ? rest : ['', ...rest];
    return { kind, namespace, name };
  }
  const expected = `expected KIND/NAMESPACE/NAME or BundleDeployment/NAME, of ${Object.keys(kinds).join(', ')}`;
  throw new TerminalError('InvalidStatusSource', `${statusFromAnnotation}: "${text}": ${expected}`);
}

/** The sources that the annotation names.
 *  @throws TerminalError InvalidStatusSource */
export function parseSources(annotation: string): readonly StatusSource[] {
  const texts = annotation
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  if (texts.length > 0 && texts.length <= maxSources) return texts.map(parseOne);
  const text = `${statusFromAnnotation}: expected 1 to ${maxSources} objects, found ${texts.length}`;
  throw new TerminalError('InvalidStatusSource', text);
}

/** Where a source is; of a HelmRelease its Secrets. */
export function refOfSource({ kind, namespace, name }: StatusSource): ObjectRef {
  const { apiVersion } = kinds[kind];
  return { apiVersion, kind, name, ...(namespace === '' ? {} : { namespace }) };
}

/** As messages name it. */
export function describeSource({ kind, namespace, name }: StatusSource): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}
