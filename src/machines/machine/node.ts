import type { KubeObject } from '../../kube/index.ts';
import { readNode } from '../nodes.ts';
import type { MachineRun } from './context.ts';

const controlPlaneLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** Whether the Node is one of the control plane, of which one at a time is drained. */
export function isControlPlane({ metadata }: KubeObject): boolean {
  return controlPlaneLabels.some((label) => metadata.labels?.[label] !== undefined);
}

/** The Node of the machine; undefined where it does not exist, or another one has its name. */
export async function nodeOf({ context, machine }: MachineRun, signal: AbortSignal): Promise<KubeObject | undefined> {
  const { name = '', uid } = machine.status?.nodeRef ?? {};
  const node = await readNode(name, { ...context, signal });
  return uid === undefined || node?.metadata.uid === uid ? node : undefined;
}
