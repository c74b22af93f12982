import { machineAnnotations } from '../../api/index.ts';
import type { ApiObject, HookCall, HookedMachine, HookWait, MachineHook } from '../hook/definition.ts';

interface PodParts {
  readonly metadata: {
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly controller?: boolean }[];
  };
  readonly spec?: { readonly priority?: number };
}

const partsOf = (object: ApiObject): PodParts => object as unknown as PodParts;

/** Pods that a drain evicts: not those of the kubelet and of DaemonSets. */
function leaves(pod: ApiObject): boolean {
  const { annotations, ownerReferences } = partsOf(pod).metadata;
  if (annotations?.['kubernetes.io/config.mirror'] !== undefined) return false;
  return ownerReferences?.some(({ kind, controller }) => controller === true && kind === 'DaemonSet') !== true;
}

const priorityOf = (pod: ApiObject): number => partsOf(pod).spec?.priority ?? 0;
const titleOf = ({ metadata }: ApiObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

async function evictNext(pods: readonly ApiObject[], { api }: HookCall): Promise<HookWait | undefined> {
  const leaving = pods.filter(leaves);
  if (leaving.length === 0) return undefined;
  const highest = Math.max(...leaving.map(priorityOf));
  const step = leaving.filter((pod) => priorityOf(pod) === highest);
  const held: string[] = [];
  for (const pod of step) {
    if (partsOf(pod).metadata.deletionTimestamp !== undefined) continue;
    const { namespace = '', name = '' } = pod.metadata;
    if (!(await api.evict({ namespace, name }))) held.push(titleOf(pod));
  }
  const text = held.length === 0 ? '' : `; a PodDisruptionBudget holds ${held.slice(0, 3).join(', ')}`;
  return {
    waitSeconds: held.length === 0 ? 2 : 5,
    message: `evicts ${step.length} pods of priority ${highest}${text}`,
  };
}

interface NodeRef {
  readonly name?: string;
  readonly uid?: string;
}

const nodeRefOf = (machine: ApiObject | undefined): NodeRef =>
  (machine?.['status'] as { nodeRef?: NodeRef } | undefined)?.nodeRef ?? {};

/** Whether the Node names another machine, and that one has it. Users who may write the status of machines in a namespace could name any Node there. */
async function isOfAnother({ uid, object }: HookedMachine, node: ApiObject, { api }: HookCall): Promise<boolean> {
  const [namespace = '', name = ''] = (node.metadata.annotations?.[machineAnnotations.machineOfNode] ?? '').split(
    '/',
    2,
  );
  if (namespace === '' || name === '') return false;
  const { apiVersion, kind } = object;
  const named = await api.get({ apiVersion, kind, namespace, name });
  return named?.metadata.uid !== uid && nodeRefOf(named).uid === node.metadata.uid;
}

/** The Node of the machine; undefined where it does not exist, another one has its name, or it is that of another machine. */
async function ownNode(machine: HookedMachine, call: HookCall): Promise<ApiObject | undefined> {
  const { name = '', uid } = nodeRefOf(machine.object);
  const node = name === '' ? undefined : await call.api.get({ apiVersion: 'v1', kind: 'Node', name });
  if (node === undefined || (uid !== undefined && node.metadata.uid !== uid)) return undefined;
  return (await isOfAnother(machine, node, call)) ? undefined : node;
}

async function drainByPriority(machine: HookedMachine, call: HookCall): Promise<HookWait | undefined> {
  const { api } = call;
  const node = await ownNode(machine, call);
  if (node === undefined) return undefined;
  const { name = '' } = node.metadata;
  const ref = { apiVersion: 'v1', kind: 'Node', name };
  if ((node['spec'] as { unschedulable?: boolean } | undefined)?.unschedulable !== true) {
    await api.patch(ref, { spec: { unschedulable: true } });
  }
  const pods = await api.list({ apiVersion: 'v1', kind: 'Pod', fieldSelector: `spec.nodeName=${name}` });
  const wait = await evictNext(pods, call);
  if (wait !== undefined) return wait;
  const { apiVersion, kind } = machine.object;
  const annotations = { [machineAnnotations.excludeNodeDraining]: '' };
  await api.patch(
    { apiVersion, kind, namespace: machine.namespace, name: machine.name },
    { metadata: { annotations } },
  );
  return undefined;
}

/** Evicts the pods of the node itself, those of the highest priority first, and has the usual drain skipped.
 *  @see docs/spec/machine-lifecycle.md#53-uses-named-by-the-hook-chapter */
export const orderedDrainHook: MachineHook = {
  stage: 'preDrain',
  name: 'hooks.platform/OrderedDrain',
  owner: 'longshore/ordered-drain',
  work: drainByPriority,
};
