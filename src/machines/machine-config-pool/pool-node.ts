import { nodeUpdateAnnotations, updateInProgressTaint } from '../../api/index.ts';
import { isJsonObject, isTrueAt, type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { nodeConditions } from '../nodes.ts';

/** What a round of a pool reads of a Node.
 *  @see docs/spec/machine-lifecycle.md#definitions */
export interface PoolNode {
  readonly name: string;
  readonly uid: string;
  readonly createdMs: number;
  /** Undefined if it has no label of a zone. */
  readonly zone: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly current: string;
  readonly desired: string;
  readonly state: string;
  readonly reason: string;
  /** Annotations of images are left from image mode. */
  readonly hasDesiredImage: boolean;
  readonly hasImages: boolean;
  readonly hasTaint: boolean;
  /** Current and desired configuration and image are the same, and the agent reports Done. */
  readonly isDone: boolean;
  /** Why pods are not scheduled to it; undefined if they are. */
  readonly unreadiness: string | undefined;
  /** The agent cannot apply the desired configuration. */
  readonly isFailing: boolean;
  /** Not ready, or being updated. */
  readonly isUnavailable: boolean;
  readonly isDegraded: boolean;
  /** Its machine is being deleted. */
  readonly isLeaving: boolean;
}

const zoneLabel = 'topology.kubernetes.io/zone';
const degradedStates: readonly string[] = ['Degraded', 'Unreconcilable'];

/** Conditions that must have this status where a node has them, and the names that messages give them. */
const requiredConditions: readonly (readonly [type: string, status: string, word: string])[] = [
  ['Ready', 'True', 'NotReady'],
  ['DiskPressure', 'False', 'OutOfDisk'],
  ['NetworkUnavailable', 'False', 'NetworkUnavailable'],
];

/** Why no pods are scheduled to the node. Conditions that it does not have do not count. */
function unreadinessOf(node: KubeObject): string | undefined {
  const { name = '' } = node.metadata;
  for (const condition of nodeConditions(node)) {
    const rule = requiredConditions.find(([type]) => type === condition.type);
    if (rule !== undefined && condition.status !== rule[1]) {
      return `node ${name} is reporting ${rule[2]}=${condition.status}`;
    }
  }
  const spec = isJsonObject(node['spec']) ? node['spec'] : undefined;
  return isTrueAt(spec, 'unschedulable') ? `node ${name} is reporting Unschedulable` : undefined;
}

function isImageDone(annotations: Readonly<Record<string, string>>): boolean {
  const { currentImage, desiredImage } = nodeUpdateAnnotations;
  const [current, desired] = [annotations[currentImage], annotations[desiredImage]];
  if (current === undefined && desired === undefined) return true;
  return current !== undefined && current !== '' && current === desired;
}

/** Whether the node has the taint of nodes that are about to be updated. */
function hasUpdateTaint(node: KubeObject): boolean {
  const { key, effect } = updateInProgressTaint;
  const taints = objectsAt(objectAt(node as unknown as JsonObject, 'spec'), 'taints');
  return taints.some((taint) => textAt(taint, 'key') === key && textAt(taint, 'effect') === effect);
}

/** What the agent of the node, and its pool, note on it. */
function agentFacts(annotations: Readonly<Record<string, string>>) {
  const keys = nodeUpdateAnnotations;
  const text = (key: string): string => annotations[key] ?? '';
  const [current, desired, state] = [text(keys.currentConfig), text(keys.desiredConfig), text(keys.state)];
  const isDegraded = degradedStates.includes(state);
  const hasDesiredImage = annotations[keys.desiredImage] !== undefined;
  return {
    current,
    desired,
    state,
    reason: text(keys.reason),
    hasDesiredImage,
    hasImages: hasDesiredImage && annotations[keys.currentImage] !== undefined,
    isDone: current !== '' && current === desired && isImageDone(annotations) && state === 'Done',
    isDegraded,
    isFailing: isDegraded && current !== desired,
  };
}

function isUpdating({ isDone, isFailing }: Pick<PoolNode, 'isDone' | 'isFailing'>): boolean {
  return !isDone && !isFailing;
}

/** Reads a Node. */
export function poolNode(node: KubeObject, { isLeaving = false }: { readonly isLeaving?: boolean } = {}): PoolNode {
  const { name = '', uid = '', labels = {}, creationTimestamp } = node.metadata;
  const facts = agentFacts(node.metadata.annotations ?? {});
  const unreadiness = unreadinessOf(node);
  return {
    ...facts,
    name,
    uid,
    createdMs: Date.parse(creationTimestamp ?? ''),
    zone: labels[zoneLabel],
    labels,
    hasTaint: hasUpdateTaint(node),
    unreadiness,
    isUnavailable: unreadiness !== undefined || isLeaving || isUpdating(facts),
    isLeaving,
  };
}

/** Whether the node has the configuration. */
export function isUpdated({ isDone, current, hasDesiredImage }: PoolNode, target: string): boolean {
  return isDone && current === target && !hasDesiredImage;
}
