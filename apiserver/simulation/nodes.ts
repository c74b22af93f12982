import { isJsonEqual, type JsonObject } from '../../src/base/index.ts';
import { objectsIn, specOf, statusOf, typeOf } from '../controllers/index.ts';
import type { Cluster, ClusterEvent, KubeObject } from '../core/index.ts';
import { simulateAnnotation, simulatedNode } from './simulated.ts';

/** Name of the Node that there always is. */
export const nodeName = 'longshore';

function isSimulated({ metadata }: KubeObject): boolean {
  return metadata.name === nodeName || metadata.annotations?.[simulateAnnotation] === simulatedNode;
}

/** Whether the scheduler places pods there. A Node that has not reported yet counts: the first one is made while pods wait for it. */
function takesPods(node: KubeObject): boolean {
  const ready = objectsIn(statusOf(node)['conditions']).find(({ type }) => type === 'Ready');
  return specOf(node)['unschedulable'] !== true && (ready === undefined || ready['status'] === 'True');
}

/** Whether DaemonSets may need other pods after an event. */
export function changesNodes({ resource, type, object, previous }: ClusterEvent): boolean {
  if (resource.storageKey !== 'nodes') return false;
  return type !== 'MODIFIED' || !isJsonEqual(labelsOf(previous), labelsOf(object));
}

const labelsOf = (node: KubeObject | undefined): JsonObject => ({ ...node?.metadata.labels });

/** Names of the simulated Nodes that a DaemonSet runs on, cordoned ones included: the one that there always is, and others that its node selector selects. */
export function nodesOfDaemonSet(cluster: Cluster, selector: JsonObject): readonly string[] {
  const isSelected = (node: KubeObject): boolean =>
    Object.entries(selector).every(([key, value]) => node.metadata.labels?.[key] === value);
  const others = cluster
    .list(typeOf(cluster, 'nodes'))
    .filter((node) => node.metadata.name !== nodeName && node.metadata.deletionTimestamp === undefined)
    .filter((node) => isSimulated(node) && isSelected(node));
  return [nodeName, ...others.map(({ metadata }) => metadata.name ?? '')];
}

/** The Nodes on which pods are simulated. Pods are placed on them in turn. */
export class SimulatedNodes {
  /** Whether each takes pods. */
  readonly #nodes = new Map<string, boolean>([[nodeName, true]]);
  #turn = 0;

  constructor(cluster: Cluster) {
    const type = typeOf(cluster, 'nodes');
    for (const node of cluster.list(type)) this.#keep(node);
  }

  /** Takes in an event; true where a Node takes pods that did not before. */
  take({ resource, object, type }: ClusterEvent): boolean {
    if (resource.storageKey !== 'nodes') return false;
    const name = object.metadata.name ?? '';
    const before = this.#nodes.get(name);
    if (type !== 'DELETED') this.#keep(object);
    // It is made again at once.
    else if (name !== nodeName) this.#nodes.delete(name);
    return this.#nodes.get(name) === true && before !== true;
  }

  has(name: string): boolean {
    return this.#nodes.has(name);
  }

  /** The Node for the next pod; undefined while none takes pods. */
  choose(): string | undefined {
    const open = [...this.#nodes].filter(([, isOpen]) => isOpen).map(([name]) => name);
    this.#turn += 1;
    return open[this.#turn % Math.max(1, open.length)];
  }

  #keep(node: KubeObject): void {
    const name = node.metadata.name ?? '';
    if (isSimulated(node)) this.#nodes.set(name, takesPods(node));
    else this.#nodes.delete(name);
  }
}
