import { poolNames, rolloutGates } from '../../api/index.ts';
import { cutText, errorMessage } from '../../base/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import { internalAddresses } from '../nodes.ts';
import { type QuorumMember, quorumOf } from '../quorum/decide.ts';
import { skippedGates } from '../rollout-check/skip.ts';
import type { PoolRun } from './context.ts';
import { checkPollMs, type GatedNodes } from './hold.ts';
import type { PoolNode } from './pool-node.ts';

/** How long etcd has to answer: other pools wait meanwhile. */
const deadlineMs = 5_000;
const maxMessageCharacters = 300;

interface EtcdFacts {
  readonly members: readonly QuorumMember[];
  /** Names and addresses of nodes that are, or may become, unavailable: members on them do not count. */
  readonly nodes: readonly (readonly string[])[];
}

/** Why no member may be lost; undefined if those on the nodes may be. Members that are on no known node count as if each node had one. */
export function etcdProblem({ members, nodes }: EtcdFacts): string | undefined {
  const voters = members.filter(({ isVoter }) => isVoter);
  const healthy = voters.filter(({ isHealthy }) => isHealthy);
  const counts = `${healthy.length} of ${voters.length} voting members of etcd are healthy`;
  const first = voters.find(({ isHealthy }) => !isHealthy);
  const which = first === undefined ? '' : `; ${first.addresses[0] ?? first.id} is not`;
  if (voters.length === 0) return 'etcd reports no voting members';
  // One or two members have no quorum that could be kept: an update interrupts them.
  if (voters.length <= 2) return first === undefined ? undefined : `${counts}${which}`;
  const isOn = ({ addresses }: QuorumMember, names: readonly string[]): boolean =>
    addresses.some((address) => names.includes(address));
  const placed = voters.some((member) => nodes.some((names) => isOn(member, names)));
  const lost = placed
    ? healthy.filter((member) => nodes.some((names) => isOn(member, names))).length
    : Math.min(nodes.length, healthy.length);
  const needed = quorumOf(voters.length);
  if (healthy.length - lost >= needed) return undefined;
  return `${counts}${which}; ${needed} are needed beside those on the nodes of the update`;
}

async function membersNow(run: PoolRun, signal: AbortSignal): Promise<readonly QuorumMember[] | string> {
  const { etcd } = run.context.settings;
  if (etcd === undefined) return [];
  try {
    return await etcd.members({ signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]) });
  } catch (thrown) {
    signal.throwIfAborted();
    return `etcd does not answer: ${cutText(errorMessage(thrown), maxMessageCharacters)}`;
  }
}

/** As many of the chosen nodes of the control plane, in their order, as may go while etcd keeps its quorum. */
export async function quorateNodes(
  run: PoolRun,
  chosen: readonly PoolNode[],
  signal: AbortSignal,
): Promise<GatedNodes> {
  const { pool, nodes, context } = run;
  const isGate = context.settings.etcd !== undefined && pool.metadata.name === poolNames.master;
  const isOff = pool.spec.rollout?.allowQuorumLoss === true || skippedGates(pool).has(rolloutGates.etcd);
  if (!isGate || isOff || chosen.length === 0) return { chosen };
  const members = await membersNow(run, signal);
  const namesOf = ({ name }: PoolNode): readonly string[] => {
    const node = context.nodes.get(name);
    return node === undefined ? [name] : [name, ...internalAddresses(node)];
  };
  const busy = nodes.filter(({ isUnavailable, name }) => isUnavailable && !chosen.some((node) => node.name === name));
  const problemWith = (count: number): string | undefined =>
    typeof members === 'string'
      ? members
      : etcdProblem({ members, nodes: [...busy, ...chosen.slice(0, count)].map(namesOf) });
  for (let count = chosen.length; count > 0; count--) {
    if (problemWith(count) === undefined) return { chosen: chosen.slice(0, count) };
  }
  requeueAfter(run, checkPollMs);
  return { chosen: [], hold: { kind: 'etcd', gate: rolloutGates.etcd, message: problemWith(1) ?? '' } };
}
