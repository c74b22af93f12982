import type { Cluster } from '../registry/cluster.ts';
import { type Controller, dropFinalizer, isHeldBy, specOf, typeOf, unlessGone } from './controller.ts';

const as = 'system:apiserver';
const finalizer = 'customresourcecleanup.apiextensions.k8s.io';
const group = 'apiextensions.k8s.io';

function pluralOf(names: unknown): string {
  const { plural } = (names ?? {}) as { readonly plural?: unknown };
  return typeof plural === 'string' ? plural : '';
}

/** A CustomResourceDefinition that is being deleted goes after the last of its objects, which are deleted first. */
export function crdInstances(cluster: Cluster): Controller {
  const going = new Set<string>();
  const deleteInstances = async (plural: string, instanceGroup: string): Promise<number> => {
    const type = cluster.resource(instanceGroup, plural);
    if (type === undefined) return 0;
    for (const { metadata } of cluster.list(type)) {
      if (metadata.deletionTimestamp !== undefined) continue;
      const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
      await unlessGone(cluster.delete(type, key, { as }));
    }
    return cluster.list(type).length;
  };
  return {
    name: 'crd-instances',
    keysOf: ({ type, resource, object }) => {
      const isDefinition = resource.storageKey === `customresourcedefinitions.${group}`;
      const name = isDefinition ? (object.metadata.name ?? '') : `${resource.plural}.${resource.group}`;
      if (isDefinition) {
        const isGoing = type !== 'DELETED' && object.metadata.deletionTimestamp !== undefined;
        if (isGoing) going.add(name);
        else going.delete(name);
      }
      return going.has(name) ? [name] : [];
    },
    work: async (name) => {
      const type = typeOf(cluster, 'customresourcedefinitions', group);
      const object = cluster.get(type, { namespace: '', name });
      if (!isHeldBy(object, finalizer)) return;
      const spec = specOf(object);
      const left = await deleteInstances(pluralOf(spec.names), typeof spec.group === 'string' ? spec.group : '');
      if (left === 0) await dropFinalizer(cluster, { type, object, finalizer }, { as });
    },
  };
}
