import { findObject, type KubeClient, type KubeObject, NoKindMatch, type ObjectRef } from '../../kube/index.ts';
import type { KindRef } from '../kind-list.ts';
import { readNamespace } from '../namespace.ts';

/** What is known of the place where something is to be installed. */
export interface Surroundings {
  /** The resource of a kind: `deployments`; undefined when it is not served. */
  pluralOf(kind: KindRef): Promise<string | undefined>;
  /** An existing Role or ClusterRole. */
  roleOf(ref: ObjectRef): Promise<KubeObject | undefined>;
  hasNamespace(name: string): Promise<boolean>;
}

/** A cluster, as `kube` may see it. */
export function surroundingsOf(kube: KubeClient, signal: AbortSignal): Surroundings {
  return {
    pluralOf: async ({ apiVersion, kind }) => {
      try {
        return (await kube.resolve(apiVersion, kind, { signal })).plural;
      } catch (thrown) {
        if (thrown instanceof NoKindMatch) return undefined;
        throw thrown;
      }
    },
    roleOf: (ref) => findObject(kube, ref, { signal }),
    hasNamespace: async (name) => (await readNamespace(kube, name, signal)) !== undefined,
  };
}
