import { machineAnnotations, parseMachine } from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { readNode } from '../nodes.ts';
import type { MachineContext, MachineRun } from './context.ts';

const controlPlaneLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** Whether the Node is one of the control plane, of which one at a time is drained. */
export function isControlPlane({ metadata }: KubeObject): boolean {
  return controlPlaneLabels.some((label) => metadata.labels?.[label] !== undefined);
}

/** Whether the Node names another machine, and that one has it: a user who may write the status of machines in a namespace could name any Node there, which
 *  would be drained and deleted with the machine. */
function isOfAnother({ machines }: MachineContext, machine: KubeObject, { metadata }: KubeObject): boolean {
  const [namespace, name = ''] = (metadata.annotations?.[machineAnnotations.machineOfNode] ?? '').split('/', 2);
  const named = machines.get(name, namespace);
  if (named === undefined || named.metadata.uid === machine.metadata.uid) return false;
  return parseMachine(named).status?.nodeRef?.uid === metadata.uid;
}

/** The Node of the machine; undefined where it does not exist, another one has its name, or it is that of another machine. */
export async function nodeOf(
  { context, object, machine }: MachineRun,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { name = '', uid } = machine.status?.nodeRef ?? {};
  const node = await readNode(name, { ...context, signal });
  if (node === undefined || isOfAnother(context, object, node)) return undefined;
  return uid === undefined || node.metadata.uid === uid ? node : undefined;
}
