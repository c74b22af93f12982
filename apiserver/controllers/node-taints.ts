import { isJsonEqual, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';
import { type Controller, objectsIn, specOf, statusOf, typeOf, unlessGone } from './controller.ts';

const as = 'system:serviceaccount:kube-system:node-controller';
const effect = 'NoSchedule';

function conditionOf(node: KubeObject, type: string): JsonValue | undefined {
  return objectsIn(statusOf(node)['conditions']).find((condition) => condition['type'] === type)?.['status'];
}

/** Taints that say what a node's conditions say, and whether they hold. A node that never told of itself keeps what it has. */
function wantedTaints(node: KubeObject): ReadonlyMap<string, boolean> {
  const ready = conditionOf(node, 'Ready');
  const wanted = new Map([['node.kubernetes.io/unschedulable', specOf(node)['unschedulable'] === true]]);
  if (ready !== undefined) {
    wanted.set('node.kubernetes.io/not-ready', ready === 'False');
    wanted.set('node.kubernetes.io/unreachable', ready === 'Unknown');
  }
  return wanted;
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
      const wanted = wantedTaints(node);
      const old = objectsIn(specOf(node)['taints']);
      const kept = old.filter(
        (taint) => taint['effect'] !== effect || wanted.get(String(taint['key'] as string)) !== false,
      );
      const lacking = [...wanted]
        .filter(([key, isOn]) => isOn && !kept.some((taint) => taint['key'] === key && taint['effect'] === effect))
        .map(([key]): JsonObject => ({ key, effect }));
      const taints = [...kept, ...lacking];
      if (isJsonEqual(taints, old)) return;
      const { taints: _old, ...spec } = specOf(node);
      const changed = { ...node, spec: { ...spec, ...(taints.length === 0 ? {} : { taints }) } };
      await unlessGone(cluster.update(type, changed, { as }));
    },
  };
}
