import { isJsonEqual, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';
import { type Controller, ignoreNotFound, objectsIn, specOf, statusOf, typeOf } from './controller.ts';

const as = 'system:serviceaccount:kube-system:node-controller';
const effect = 'NoSchedule';

function conditionOf(node: KubeObject, type: string): JsonValue | undefined {
  return objectsIn(statusOf(node)['conditions']).find((condition) => condition['type'] === type)?.['status'];
}

/** Taints for a node's conditions, and whether they apply. A node that never reported its status keeps its taints. */
function desiredTaints(node: KubeObject): ReadonlyMap<string, boolean> {
  const ready = conditionOf(node, 'Ready');
  const desired = new Map([['node.kubernetes.io/unschedulable', specOf(node)['unschedulable'] === true]]);
  if (ready !== undefined) {
    desired.set('node.kubernetes.io/not-ready', ready === 'False');
    desired.set('node.kubernetes.io/unreachable', ready === 'Unknown');
  }
  return desired;
}

/** Keeps taints of nodes in step with their conditions. */
export function nodeTaints(cluster: Cluster): Controller {
  return {
    name: 'node-taints',
    keysOf: ({ type, resource, object }) =>
      resource.storageKey === 'nodes' && type !== 'DELETED' ? [object.metadata.name ?? ''] : [],
    work: async (name) => {
      const type = typeOf(cluster, 'nodes');
      const node = cluster.get(type, { namespace: '', name });
      if (node === undefined) return;
      const desired = desiredTaints(node);
      const old = objectsIn(specOf(node)['taints']);
      const kept = old.filter(
        (taint) => taint['effect'] !== effect || desired.get(String(taint['key'] as string)) !== false,
      );
      const lacking = [...desired]
        .filter(([key, isOn]) => isOn && !kept.some((taint) => taint['key'] === key && taint['effect'] === effect))
        .map(([key]): JsonObject => ({ key, effect }));
      const taints = [...kept, ...lacking];
      if (isJsonEqual(taints, old)) return;
      const { taints: _old, ...spec } = specOf(node);
      const changed = { ...node, spec: { ...spec, ...(taints.length === 0 ? {} : { taints }) } };
      await ignoreNotFound(cluster.update(type, changed, { as }));
    },
  };
}
