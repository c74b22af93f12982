import { type AdmissionPlugin, type KubeObject, objectOf, objectsOf } from '../core/index.ts';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** Nothing is scheduled to a new node before it is marked ready. */
export function taintNodesByCondition(): AdmissionPlugin {
  return {
    name: 'TaintNodesByCondition',
    mutate: ({ operation, resource, subresource, object }) => {
      const isNew = operation === 'CREATE' && resource.storageKey === 'nodes' && subresource === undefined;
      if (!isNew || object === undefined) return Promise.resolve(undefined);
      const spec = objectOf(object['spec']);
      const taints = objectsOf(spec['taints']);
      const isThere = taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect);
      if (isThere) return Promise.resolve(undefined);
      return Promise.resolve({ ...object, spec: { ...spec, taints: [...taints, { ...notReady }] } } as KubeObject);
    },
  };
}
