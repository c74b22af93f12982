import type { KubeObject } from '../kube/index.ts';

/** A kind and the version it was installed in. */
export interface KindRef {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The kinds of `objects`, each version of them once, sorted. */
export function kindsOf(objects: readonly Pick<KubeObject, 'apiVersion' | 'kind'>[]): readonly KindRef[] {
  const byText = new Map(objects.map(({ apiVersion, kind }) => [`${apiVersion}/${kind}`, { apiVersion, kind }]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

/** Whether the object is a CustomResourceDefinition. */
export function isCrd({ apiVersion, kind }: KindRef): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/');
}

/** Whether the object is a Namespace. */
export function isNamespace({ apiVersion, kind }: KindRef): boolean {
  return kind === 'Namespace' && apiVersion === 'v1';
}
