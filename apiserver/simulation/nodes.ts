import { isJsonEqual, type JsonObject } from '../../src/base/index.ts';
import { objectsIn, specOf, statusOf, typeOf } from '../controllers/index.ts';
import type { Cluster, ClusterEvent, KubeObject } from '../core/index.ts';
import { type SelectableNode, selectsNode, toleratesCordon } from './node-affinity.ts';
import { simulateAnnotation, simulatedNode } from './simulated.ts';

/** Name of the Node that there always is. */
export const nodeName = 'longshore';

const isOwn = ({ metadata }: KubeObject): boolean => metadata.name === nodeName;

function isSimulated(node: KubeObject): boolean {
  return isOwn(node) || node.metadata.annotations?.[simulateAnnotation] === simulatedNode;
}

/** Labels of the Node that there always is. */
export const nodeLabels: Readonly<Record<string, string>> = {
  'kubernetes.io/hostname': nodeName,
  'kubernetes.io/os': 'linux',
  'kubernetes.io/arch': 'amd64',
};

/** Of a cluster of one node, on which manifests for control planes and for workers run. */
const nodeRoles = ['control-plane', 'master', 'worker'].map((role) => `node-role.kubernetes.io/${role}`);

/** A Node as the scheduler sees it. */
interface PlacedNode extends SelectableNode {
  readonly isReady: boolean;
  readonly isCordoned: boolean;
}

/** One that has not reported yet counts as ready: the first one is made while pods wait for it. */
function placedNode(node: KubeObject): PlacedNode {
  const ready = objectsIn(statusOf(node)['conditions']).find(({ type }) => type === 'Ready');
  return {
    name: node.metadata.name ?? '',
    labels: node.metadata.labels ?? {},
    isReady: ready === undefined || ready['status'] === 'True',
    isCordoned: specOf(node)['unschedulable'] === true,
  };
}

/** The Nodes as pods select them: the one that there always is has the roles that no other Node has. The scheduler alone sees them: with the labels
 *  themselves it would be in the pools of machines that others have. */
function withRoles<N extends SelectableNode>(nodes: readonly N[]): readonly N[] {
  const others = nodes.filter(({ name }) => name !== nodeName);
  const roles = nodeRoles.filter((role) => !others.some(({ labels }) => labels[role] !== undefined));
  const added = Object.fromEntries(roles.map((role) => [role, '']));
  return nodes.map((node) => (node.name === nodeName ? { ...node, labels: { ...added, ...node.labels } } : node));
}

/** Why the scheduler does not place the pod there, in its words; undefined if it may. */
function refusalOf(node: PlacedNode, podSpec: JsonObject): string | undefined {
  if (node.isCordoned && !toleratesCordon(podSpec)) return 'node(s) were unschedulable';
  if (!node.isReady) return 'node(s) had untolerated taint {node.kubernetes.io/not-ready: }';
  return selectsNode(podSpec, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

/** Whether DaemonSets may need other pods after an event. */
export function changesNodes({ resource, type, object, previous }: ClusterEvent): boolean {
  if (resource.storageKey !== 'nodes') return false;
  return type !== 'MODIFIED' || !isJsonEqual(labelsOf(previous), labelsOf(object));
}

const labelsOf = (node: KubeObject | undefined): JsonObject => ({ ...node?.metadata.labels });

/** Names of the simulated Nodes that a DaemonSet runs on, cordoned ones included: those that its pods select. */
export function nodesOfDaemonSet(cluster: Cluster, podSpec: JsonObject): readonly string[] {
  const own: SelectableNode = { name: nodeName, labels: nodeLabels };
  const present = cluster
    .list(typeOf(cluster, 'nodes'))
    .filter((node) => isSimulated(node) && (node.metadata.deletionTimestamp === undefined || isOwn(node)))
    .map(placedNode);
  const nodes = present.some(({ name }) => name === nodeName) ? present : [own, ...present];
  return withRoles(nodes)
    .filter((node) => selectsNode(podSpec, node))
    .map(({ name }) => name);
}

/** Where a pod goes, or why it goes nowhere. */
export type Placement = { readonly node: string } | { readonly problem: string };

/** The Nodes on which pods are simulated. Pods are placed in turn on those that they select. */
export class SimulatedNodes {
  readonly #nodes = new Map<string, PlacedNode>([
    [nodeName, { name: nodeName, labels: nodeLabels, isReady: true, isCordoned: false }],
  ]);
  #turn = 0;

  constructor(cluster: Cluster) {
    const type = typeOf(cluster, 'nodes');
    for (const node of cluster.list(type)) this.#keep(node);
  }

  /** Takes in an event; true where a Node may take pods that it did not take before. */
  take({ resource, object, type }: ClusterEvent): boolean {
    if (resource.storageKey !== 'nodes') return false;
    const name = object.metadata.name ?? '';
    const before = this.#nodes.get(name);
    if (type !== 'DELETED') this.#keep(object);
    // It is made again at once.
    else if (name !== nodeName) this.#nodes.delete(name);
    const after = this.#nodes.get(name);
    // A Node that is deleted may have been the last one of a role.
    return type === 'DELETED' || (after?.isReady === true && !isJsonEqual({ ...before }, { ...after }));
  }

  has(name: string): boolean {
    return this.#nodes.has(name);
  }

  /** The Node for the next pod. */
  place(podSpec: JsonObject): Placement {
    const refusals = withRoles([...this.#nodes.values()]).map((node) => ({ node, refusal: refusalOf(node, podSpec) }));
    const open = refusals.flatMap(({ node, refusal }) => (refusal === undefined ? [node.name] : []));
    this.#turn += 1;
    const chosen = open[this.#turn % Math.max(1, open.length)];
    if (chosen !== undefined) return { node: chosen };
    const counts = Map.groupBy(refusals, ({ refusal = '' }) => refusal);
    const reasons = [...counts].map(([text, { length }]) => `${length} ${text}`).toSorted();
    return { problem: `0/${refusals.length} nodes are available: ${reasons.join(', ')}.` };
  }

  #keep(node: KubeObject): void {
    const name = node.metadata.name ?? '';
    if (isSimulated(node)) this.#nodes.set(name, placedNode(node));
    else this.#nodes.delete(name);
  }
}
