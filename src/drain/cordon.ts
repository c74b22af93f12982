import { isJsonObject } from '../base/index.ts';
import { type CallOptions, type KubeClient, type KubeObject, preconditionOf, refOf } from '../kube/index.ts';

/** On a Node: who made it unschedulable. A node that an administrator cordoned has none, and stays cordoned.
 *  @see docs/spec/machine-lifecycle.md#6-drain-engine */
const cordonedByAnnotation = 'drain.platform/cordoned-by';

interface CordonOptions extends CallOptions {
  /** Who cordons. */
  readonly actor: string;
  readonly fieldManager: string;
}

/** Whether pods may not be scheduled to the node. */
export function isUnschedulable({ spec }: KubeObject): boolean {
  return isJsonObject(spec) && spec['unschedulable'] === true;
}

/** Whether the kubelet of the node does not answer. */
export function isUnreachable({ status }: KubeObject): boolean {
  const { conditions } = isJsonObject(status) ? status : {};
  const list = Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
  return list.some(({ type, status: state }) => type === 'Ready' && state === 'Unknown');
}

/** Makes the node unschedulable, and notes the actor unless it was so before. Returns the Node as it is then.
 *  @throws KubeUnavailable Conflict when it changed meanwhile */
export async function cordon(
  kube: KubeClient,
  node: KubeObject,
  { actor, fieldManager, signal }: CordonOptions,
): Promise<KubeObject> {
  if (isUnschedulable(node)) return node;
  const metadata = { ...preconditionOf(node), annotations: { [cordonedByAnnotation]: actor } };
  return await kube.patch(refOf(node), { metadata, spec: { unschedulable: true } }, { fieldManager, signal });
}

/** Makes the node schedulable again if `actor` cordoned it. One that another actor or an administrator cordoned stays as it is. Returns the Node as it
 *  is then.
 *  @throws KubeUnavailable Conflict when it changed meanwhile */
export async function uncordon(
  kube: KubeClient,
  node: KubeObject,
  { actor, fieldManager, signal }: CordonOptions,
): Promise<KubeObject> {
  if (node.metadata.annotations?.[cordonedByAnnotation] !== actor) return node;
  const metadata = { ...preconditionOf(node), annotations: { [cordonedByAnnotation]: null } };
  return await kube.patch(refOf(node), { metadata, spec: { unschedulable: null } }, { fieldManager, signal });
}
