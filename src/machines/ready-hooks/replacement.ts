import {
  type ApiObject,
  type HookCall,
  type HookedMachine,
  type HookWait,
  type MachineHook,
} from '../hook/definition.ts';

const machineTarget = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'Machine' } as const;

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

interface MachineParts {
  readonly metadata: { readonly deletionTimestamp?: string; readonly ownerReferences?: readonly Owner[] };
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly phase?: string;
    readonly nodeRef?: { readonly name?: string };
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
}

const partsOf = (object: ApiObject): MachineParts => object as unknown as MachineParts;

function controllerOf(object: ApiObject): Owner | undefined {
  return partsOf(object).metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Machines of the set that stay, and whose nodes are ready. */
async function readySiblings({ object, namespace }: HookedMachine, uid: string, { api }: HookCall): Promise<number> {
  const machines = await api.list({ ...machineTarget, namespace });
  const staying = machines.filter((one) => {
    const { metadata, status } = partsOf(one);
    const isOther = one.metadata.uid !== object.metadata.uid && controllerOf(one)?.uid === uid;
    return isOther && metadata.deletionTimestamp === undefined && status?.phase === 'Running';
  });
  let ready = 0;
  for (const one of staying) {
    const name = partsOf(one).status?.nodeRef?.name;
    const node = name === undefined ? undefined : await api.get({ apiVersion: 'v1', kind: 'Node', name });
    const conditions = node === undefined ? [] : (partsOf(node).status?.conditions ?? []);
    if (conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) ready += 1;
  }
  return ready;
}

async function waitForReplacement(machine: HookedMachine, call: HookCall): Promise<HookWait | undefined> {
  const owner = controllerOf(machine.object);
  if (owner === undefined) {
    return { waitSeconds: 60, message: 'the machine belongs to no set that would replace it' };
  }
  const { apiVersion, kind, name, uid } = owner;
  const set = await call.api.get({ apiVersion, kind, name, namespace: machine.namespace });
  // A set that does not exist any more replaces nothing.
  if (set === undefined || set.metadata.uid !== uid) return undefined;
  const desired = partsOf(set).spec?.replicas ?? 1;
  const ready = await readySiblings(machine, uid, call);
  if (ready >= desired) return undefined;
  return { waitSeconds: 10, message: `${ready} of ${desired} machines of ${kind} ${name} have a node that is ready` };
}

/** The node is drained when the set has as many other machines with ready nodes as it is to have.
 *  @see docs/spec/machine-lifecycle.md#53-uses-named-by-the-hook-chapter */
export const replacementHook: MachineHook = {
  stage: 'preDrain',
  name: 'hooks.platform/Replacement',
  owner: 'longshore/replacement',
  // No one replaces a machine of no set.
  selects: ({ object }) => controllerOf(object) !== undefined,
  work: waitForReplacement,
};
