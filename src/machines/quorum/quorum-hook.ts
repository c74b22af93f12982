import { machineAnnotations, machineLabels } from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { ApiObject, HookCall, HookedMachine, HookWait, MachineHook } from '../hook/definition.ts';
import { internalAddresses } from '../nodes.ts';
import { decideQuorum, type QuorumMachine, type QuorumStep } from './decide.ts';
import type { QuorumProvider } from './provider.ts';

export interface QuorumOptions {
  readonly provider: QuorumProvider;
  /** Voters that the group has. */
  readonly desiredVoters: number;
  /** The label `cluster-api-machine-role` of the machines of the group. Default `master`. */
  readonly role?: string;
}

interface Parts {
  readonly status?: {
    readonly phase?: string;
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
  };
}

/** Steps that change nothing are looked at again after this time, others at once. */
const waitSeconds = 2;
const target = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'Machine' } as const;

function phaseOf(object: ApiObject): string | undefined {
  return (object as unknown as Parts).status?.phase;
}

function quorumMachine(object: ApiObject): QuorumMachine {
  const { addresses = [] } = (object as unknown as Parts).status ?? {};
  return {
    name: object.metadata.name ?? '',
    addresses: addresses.flatMap(({ type, address }) => (type === 'InternalIP' && address ? [address] : [])),
    isRunning: phaseOf(object) === 'Running',
    isDeleting: object.metadata['deletionTimestamp'] !== undefined,
  };
}

const shares = (a: readonly string[], b: readonly string[]): boolean => a.some((one) => b.includes(one));
const placeOf = ({ metadata }: ApiObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

/** Why the addresses of the machine may be those of another one; undefined where nothing shows that. Users who may write the status of machines in some
 *  namespace could name the addresses of any member there; no user writes which machine a Node names. */
async function foreignAddress(machine: HookedMachine, { api }: HookCall): Promise<string | undefined> {
  const place = placeOf(machine.object);
  const { addresses } = quorumMachine(machine.object);
  const text = `the address of machine ${place} is that of`;
  const nodes = (await api.list({ apiVersion: 'v1', kind: 'Node' })).filter((node) =>
    shares(internalAddresses(node as unknown as KubeObject), addresses),
  );
  const namedBy = ({ metadata }: ApiObject): string => metadata.annotations?.[machineAnnotations.machineOfNode] ?? '';
  const other = nodes.find((node) => namedBy(node) !== place);
  if (other !== undefined) {
    const named = namedBy(other) === '' ? 'no machine' : `machine ${namedBy(other)}`;
    return `${text} Node ${other.metadata.name ?? ''}, which names ${named}`;
  }
  if (nodes.length > 0) return undefined;
  const rival = (await api.list(target)).find(
    (one) => one.metadata.namespace !== machine.namespace && shares(quorumMachine(one).addresses, addresses),
  );
  return rival && `${text} machine ${placeOf(rival)} as well`;
}

function changesGroup({ step }: QuorumStep): boolean {
  return step === 'AddLearner' || step === 'Promote' || step === 'RemoveOld';
}

async function take(step: QuorumStep, provider: QuorumProvider, { signal }: HookCall): Promise<HookWait | undefined> {
  const { message } = step;
  switch (step.step) {
    case 'Release':
      return undefined;
    case 'AddLearner':
      await provider.addLearner(step.machine.addresses[0] ?? '', { signal });
      break;
    case 'Promote':
      await provider.promote(step.member.id, { signal });
      break;
    case 'RemoveOld':
      await provider.remove(step.member.id, { signal });
      break;
    case 'WaitReplacement':
    case 'CaughtUp':
    case 'Wait':
      return { waitSeconds, message: `${step.step}: ${message}` };
  }
  return { waitSeconds: 1, message: `${step.step}: ${message}` };
}

/** Holds the drain of a machine of the group until its member is replaced by one that is healthy, and removed.
 *  @see docs/spec/machine-lifecycle.md#8-quorum-protection-625 */
export function quorumHook({ provider, desiredVoters, role = 'master' }: QuorumOptions): MachineHook {
  /** Two machines decide one after the other, each by the members that the step before has left. */
  let last: Promise<unknown> = Promise.resolve();
  const work = async (machine: HookedMachine, call: HookCall): Promise<HookWait | undefined> => {
    const { namespace, name } = machine;
    const labelSelector = `${machineLabels.role}=${role}`;
    const machines = (await call.api.list({ ...target, namespace, labelSelector })).map(quorumMachine);
    const members = await provider.members({ signal: call.signal });
    const step = decideQuorum({ members, desiredVoters, machines, leaving: name });
    const problem = changesGroup(step) ? await foreignAddress(machine, call) : undefined;
    return await take(problem === undefined ? step : { step: 'Wait', message: problem }, provider, call);
  };
  return {
    stage: 'preDrain',
    name: 'EtcdQuorumOperator',
    owner: 'clusteroperator/etcd',
    selects: ({ labels }) => labels[machineLabels.role] === role,
    mayAdd: (machines) =>
      machines.some(({ labels, object }) => labels[machineLabels.role] === role && phaseOf(object) === 'Running'),
    work: async (machine, call) => {
      const working = last.then(() => work(machine, call));
      last = working.catch(() => undefined);
      return await working;
    },
  };
}
