import {
  type Machine,
  type MachineConfigPool,
  machineConfigPoolResource,
  machineResource,
  machineSetResource,
  parseMachine,
  parseMachineConfigPool,
} from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { groupOf, isNotFound, type KubeObject, preconditionOf, refOf } from '../../kube/index.ts';
import type { ApiObject, HookCall, HookedMachine, MachineHook } from '../hook/definition.ts';
import { replacementHook } from '../ready-hooks/replacement.ts';
import { type PoolRun, poolFieldManager, recordPool, targetOf } from './context.ts';
import { poolOfNode } from './membership.ts';
import type { PoolNode } from './pool-node.ts';

/** On a Machine: the configuration for which its pool replaces it. */
const replacedForKey = 'machineconfiguration.openshift.io/replaced-for';

const hasSurge = ({ spec }: MachineConfigPool): boolean => spec.rollout?.surge === 1;

/** Whether the pool of the machine's Node has no surge now: what it had when the deletion began does not count. */
async function isWithoutSurge({ node: name }: HookedMachine, { api }: HookCall): Promise<boolean> {
  const node = name === undefined ? undefined : await api.get({ apiVersion: 'v1', kind: 'Node', name });
  if (node === undefined) return false;
  const { apiVersion, kind } = machineConfigPoolResource;
  const asObject = (one: ApiObject): KubeObject => one as unknown as KubeObject;
  const pools = (await api.list({ apiVersion, kind })).map((one) => parseMachineConfigPool(asObject(one)));
  const pool = poolOfNode(asObject(node), pools);
  return pool !== undefined && !hasSurge(pool);
}

/** Holds the drain of a machine that its pool replaces until the new one has a ready node, or the pool has no surge any more. */
export const surgeHook: MachineHook = {
  ...replacementHook,
  name: 'hooks.platform/PoolSurge',
  owner: 'longshore/pools',
  selects: ({ annotations }) => annotations[replacedForKey] !== undefined,
  work: async (machine, call) =>
    (await isWithoutSurge(machine, call)) ? undefined : await replacementHook.work(machine, call),
};

function isOfSet({ metadata }: KubeObject): boolean {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  return (
    controller?.kind === machineSetResource.kind &&
    groupOf(controller.apiVersion) === groupOf(machineSetResource.apiVersion)
  );
}

/** The machine of the Node, by the uid of the Node: names may have been reused. */
function machineOf({ context }: PoolRun, { name, uid }: PoolNode): KubeObject | undefined {
  return context.machinesOf.get(name).find((machine) => {
    return parseMachine(machine).status?.nodeRef?.uid === uid && isOfSet(machine);
  });
}

function hooksOf({ spec }: Machine): readonly JsonObject[] {
  const { name, owner } = surgeHook;
  const others = (spec?.lifecycleHooks?.preDrain ?? []).filter((hook) => hook.name !== name);
  return [...others.map((hook) => ({ ...hook })), { name, owner }];
}

/** Deletes the machine of the Node: its set creates one that begins with the target. With a surge, the drain waits for that one. */
export async function replaceMachine(run: PoolRun, node: PoolNode, signal: AbortSignal): Promise<void> {
  const { kube, machines } = run.context;
  const found = machineOf(run, node);
  if (found === undefined) {
    const message = `node ${node.name} has no machine of a MachineSet that could replace it`;
    recordPool(run, { type: 'Warning', reason: 'NoMachineToReplace', message });
    return;
  }
  if (found.metadata.deletionTimestamp !== undefined) return;
  const metadata = { ...preconditionOf(found), annotations: { [replacedForKey]: targetOf(run.pool) } };
  const spec = hasSurge(run.pool) ? { lifecycleHooks: { preDrain: hooksOf(parseMachine(found)) } } : {};
  try {
    const patch = { metadata, spec } as unknown as JsonObject;
    machines.wrote(await kube.patch(refOf(found), patch, { fieldManager: poolFieldManager, signal }));
    const { namespace = '', name = '', uid } = found.metadata;
    const left = await kube.delete({ ...machineResource, namespace, name }, { uid, signal });
    if (left !== undefined) machines.wrote(left);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}
