import { isAlreadyExists, type KubeClient } from '../kube/index.ts';
import { fieldManager } from './ownership.ts';

/** Labels and annotations of a namespace. */
export interface NamespaceMarks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Makes the namespace for objects that name none, when it is missing. One that is there stays as it is, and it stays when
 *  everything in it has gone: others may have moved in. */
export async function ensureNamespace(
  kube: KubeClient,
  wish: { readonly name: string; readonly marks: NamespaceMarks | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const { name, marks, signal } = wish;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...marks } };
  try {
    await kube.create(namespace, { fieldManager, signal });
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
  }
}
