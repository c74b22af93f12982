import type { KubeObject } from '../kube/index.ts';
import type { Installation } from './contract/index.ts';

/** What every kind of installation has of its object. */
export function identityOf(
  object: KubeObject,
): Pick<Installation, 'apiVersion' | 'kind' | 'namespace' | 'name' | 'uid' | 'createdAt'> {
  const { apiVersion, kind, metadata } = object;
  const { namespace = '', name = '', uid = '', creationTimestamp } = metadata;
  return { apiVersion, kind, namespace, name, uid, createdAt: creationTimestamp ?? '' };
}

/** The first of several lines. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
