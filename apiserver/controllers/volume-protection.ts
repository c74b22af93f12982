import type { Cluster, KubeObject } from '../core/index.ts';
import { type Controller, dropFinalizer, isHeldBy, objectsIn, specOf, statusOf, typeOf } from './controller.ts';

interface Protected {
  readonly plural: string;
  readonly finalizer: string;
  readonly as: string;
  readonly isInUse: (cluster: Cluster, object: KubeObject) => Promise<boolean>;
}

/** The claims that the volumes of a pod name, and those that are made for it. */
function claimsOf(pod: KubeObject): string[] {
  return objectsIn(specOf(pod).volumes).flatMap(({ name, persistentVolumeClaim: claim, ephemeral }) => {
    if (ephemeral !== undefined && typeof name === 'string') return [`${pod.metadata.name}-${name}`];
    const { claimName } = (claim ?? {}) as { readonly claimName?: unknown };
    return typeof claimName === 'string' ? [claimName] : [];
  });
}

/** A pod that no node has got yet is not started once its claim is being deleted. */
function isScheduled(pod: KubeObject): boolean {
  return typeof specOf(pod).nodeName === 'string';
}

const rows: readonly Protected[] = [
  {
    plural: 'persistentvolumeclaims',
    finalizer: 'kubernetes.io/pvc-protection',
    as: 'system:serviceaccount:kube-system:pvc-protection-controller',
    isInUse: async (cluster, { metadata }) => {
      const { namespace = '', name = '' } = metadata;
      const where = (pod: KubeObject): boolean => isScheduled(pod) && claimsOf(pod).includes(name);
      for await (const _user of cluster.eachInTurns(typeOf(cluster, 'pods'), { namespace, where })) return true;
      return false;
    },
  },
  {
    plural: 'persistentvolumes',
    finalizer: 'kubernetes.io/pv-protection',
    as: 'system:serviceaccount:kube-system:pv-protection-controller',
    isInUse: (_cluster, volume) => Promise.resolve(statusOf(volume).phase === 'Bound'),
  },
];

/** Lets deleted claims and volumes go once nothing uses them. */
export function volumeProtection(cluster: Cluster): Controller {
  return {
    name: 'volume-protection',
    keysOf: ({ type, resource, object }) => {
      const { namespace = '', name = '', deletionTimestamp } = object.metadata;
      if (resource.storageKey === 'pods' && type === 'DELETED') {
        return claimsOf(object).map((claim) => `persistentvolumeclaims/${namespace}/${claim}`);
      }
      const row = rows.find(({ plural }) => plural === resource.storageKey);
      return row === undefined || deletionTimestamp === undefined ? [] : [`${row.plural}/${namespace}/${name}`];
    },
    work: async (text) => {
      const [plural, namespace = '', name = ''] = text.split('/');
      const row = rows.find((candidate) => candidate.plural === plural);
      if (row === undefined) return;
      const type = typeOf(cluster, row.plural);
      const object = cluster.get(type, { namespace, name });
      const { finalizer, as } = row;
      if (!isHeldBy(object, finalizer) || (await row.isInUse(cluster, object))) return;
      await dropFinalizer(cluster, { type, object, finalizer }, { as });
    },
  };
}
