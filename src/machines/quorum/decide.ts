/** A member of a group that needs a majority. */
export interface QuorumMember {
  readonly id: string;
  /** Addresses or host names at which it is a member: they identify its machine. */
  readonly addresses: readonly string[];
  /** False: a learner, which does not count. */
  readonly isVoter: boolean;
  readonly isHealthy: boolean;
  /** It has the data of the others, but for what was just written. */
  readonly isSynced: boolean;
}

/** A machine of the group. */
export interface QuorumMachine {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly isRunning: boolean;
  readonly isDeleting: boolean;
}

export interface QuorumFacts {
  readonly members: readonly QuorumMember[];
  readonly desiredVoters: number;
  /** All machines of the group, the one that is to go included. */
  readonly machines: readonly QuorumMachine[];
  /** The name of the one that is to go. */
  readonly leaving: string;
}

/** What may happen next so that the machine can go. One at a time, and each is decided by the members of that moment.
 *  @see docs/spec/machine-lifecycle.md#83-ours--generic-quorum-hic */
export type QuorumStep =
  | { readonly step: 'Release'; readonly message: string }
  | { readonly step: 'AddLearner'; readonly machine: QuorumMachine; readonly message: string }
  | { readonly step: 'Promote' | 'RemoveOld'; readonly member: QuorumMember; readonly message: string }
  | { readonly step: 'WaitReplacement' | 'CaughtUp' | 'Wait'; readonly message: string };

/** How many of so many voters are needed. */
export function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

const shares = (a: readonly string[], b: readonly string[]): boolean => a.some((one) => b.includes(one));

/** The machine of a member, if it is known. */
function machineOf({ addresses }: QuorumMember, { machines }: QuorumFacts): QuorumMachine | undefined {
  return machines.find((machine) => shares(addresses, machine.addresses));
}

/** Whether no member can be on the machine. Without addresses, only when all of them are known to be elsewhere: what is not known must not end a
 *  member. Nor is anything known where no member is found on any machine: members that use host names, beside a provider that reports IP addresses. */
function hasNoMember(machine: QuorumMachine | undefined, facts: QuorumFacts): boolean {
  const { members } = facts;
  if (machine !== undefined && machine.addresses.length > 0) {
    const isFound = members.some((member) => machineOf(member, facts) !== undefined);
    return isFound && !members.some(({ addresses }) => shares(addresses, machine.addresses));
  }
  return members.length > 0 && members.every((member) => machineOf(member, facts) !== undefined);
}

function replace(facts: QuorumFacts, voters: readonly QuorumMember[]): QuorumStep {
  const { members, machines, desiredVoters } = facts;
  const healthy = voters.filter(({ isHealthy }) => isHealthy).length;
  const learner = members.find(({ isVoter }) => !isVoter);
  if (learner !== undefined) {
    const place = machineOf(learner, facts)?.name ?? learner.id;
    const isReady = learner.isHealthy && learner.isSynced && healthy + 1 >= quorumOf(voters.length + 1);
    if (isReady) return { step: 'Promote', member: learner, message: `promotes the learner on ${place}` };
    return { step: 'CaughtUp', message: `the learner on ${place} does not have all data yet` };
  }
  const machine = machines.find(
    (one) =>
      one.isRunning &&
      !one.isDeleting &&
      one.addresses.length > 0 &&
      !members.some(({ addresses }) => shares(addresses, one.addresses)),
  );
  if (machine !== undefined) return { step: 'AddLearner', machine, message: `adds a learner on ${machine.name}` };
  const counts = `${healthy} healthy voters, ${desiredVoters} beside this one are needed`;
  return { step: 'WaitReplacement', message: `no machine runs that could replace the member: ${counts}` };
}

function unfoundText([first]: readonly QuorumMember[]): string {
  if (first === undefined) return 'the group reports no members';
  return `no member is found on any machine by its address (${first.addresses.slice(0, 3).join(', ')}), and so one may be on this one`;
}

/** Decides the next step for a machine that is being deleted. No voter goes before there are as many healthy others as desired, and no step leaves
 *  fewer healthy voters than the majority that is needed after it. */
export function decideQuorum(facts: QuorumFacts): QuorumStep {
  const { members, machines, leaving } = facts;
  const machine = machines.find(({ name }) => name === leaving);
  if (hasNoMember(machine, facts)) return { step: 'Release', message: 'no member is on the machine' };
  if (machine === undefined || machine.addresses.length === 0) {
    return { step: 'Wait', message: 'the addresses of the machine are unknown, and so is whether a member is on it' };
  }
  const own = members.find(({ addresses }) => shares(addresses, machine.addresses));
  if (own === undefined) return { step: 'Wait', message: unfoundText(members) };
  if (!own.isVoter) return { step: 'RemoveOld', member: own, message: 'removes its learner' };
  return decideVoter(facts, own);
}

/** The same for a machine whose member votes. */
function decideVoter(facts: QuorumFacts, own: QuorumMember): QuorumStep {
  const voters = facts.members.filter(({ isVoter }) => isVoter);
  const healthy = voters.filter(({ isHealthy }) => isHealthy);
  const counts = `${healthy.length} of ${voters.length} voters are healthy`;
  if (healthy.length < quorumOf(voters.length)) return { step: 'Wait', message: `the quorum is lost: ${counts}` };
  const others = healthy.filter(({ id }) => id !== own.id).length;
  if (others < facts.desiredVoters) return replace(facts, voters);
  if (others < quorumOf(voters.length - 1))
    return { step: 'Wait', message: `without it the quorum would be lost: ${counts}` };
  const first = voters.find((member) => !member.isHealthy && machineOf(member, facts)?.isDeleting === true);
  if (first !== undefined && own.isHealthy) {
    return { step: 'Wait', message: `the unhealthy member ${first.id} of another deleted machine goes first` };
  }
  return { step: 'RemoveOld', member: own, message: 'removes its member' };
}
