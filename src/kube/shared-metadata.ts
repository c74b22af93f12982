import { isJsonEqual } from '../base/index.ts';
import type { KubeObject } from './kube-object.ts';

/** Names that are remembered. */
const maxNames = 1_000;

/** What objects of one name in many namespaces have in common is stored once: copies of an object have its labels and annotations, which may be
 *  large. */
export function createMetadataSharing(): (object: KubeObject) => KubeObject {
  const last = new Map<string, KubeObject['metadata']>();
  return ({ metadata, ...object }) => {
    const name = metadata.name ?? '';
    const other = last.get(name);
    const shared = other === undefined ? metadata : withShared(metadata, other);
    if (last.size >= maxNames) last.clear();
    last.set(name, shared);
    return { ...object, metadata: shared };
  };
}

function isSame(a: Readonly<Record<string, string>> | undefined, b: typeof a): boolean {
  return a !== undefined && b !== undefined && isJsonEqual(a, b);
}

function withShared(metadata: KubeObject['metadata'], other: KubeObject['metadata']): KubeObject['metadata'] {
  const { labels, annotations } = other;
  return {
    ...metadata,
    ...(other.name !== undefined && { name: other.name }),
    ...(labels !== undefined && isSame(metadata.labels, labels) && { labels }),
    ...(annotations !== undefined && isSame(metadata.annotations, annotations) && { annotations }),
  };
}
