import type { KubeObject } from '../kube/index.ts';

/** A kind and the version it was installed in. */
export interface KindRef {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The kinds of `objects`, each once. */
export function kindsOf(objects: readonly Pick<KubeObject, 'apiVersion' | 'kind'>[]): readonly KindRef[] {
  return parseKindList(formatKindList(objects));
}

/** `apps/v1/Deployment,v1/ConfigMap`: sorted, each once. */
export function formatKindList(kinds: readonly KindRef[]): string {
  return [...new Set(kinds.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`))].sort().join(',');
}

/** Reads what `formatKindList` wrote; entries that make no sense are left out. */
export function parseKindList(text: string): readonly KindRef[] {
  const kinds: KindRef[] = [];
  for (const entry of text.split(',')) {
    const slash = entry.lastIndexOf('/');
    if (slash > 0) kinds.push({ apiVersion: entry.slice(0, slash), kind: entry.slice(slash + 1) });
  }
  return kinds;
}
