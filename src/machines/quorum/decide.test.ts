import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideQuorum, type QuorumFacts, type QuorumMachine, type QuorumMember, quorumOf } from './decide.ts';

const at = (n: number): string => `10.0.0.${n}`;
const member = (n: number, more: Partial<QuorumMember> = {}): QuorumMember => ({
  id: `m${n}`,
  addresses: [at(n)],
  isVoter: true,
  isHealthy: true,
  isSynced: true,
  ...more,
});
const machine = (n: number, more: Partial<QuorumMachine> = {}): QuorumMachine => ({
  name: `machine-${n}`,
  addresses: [at(n)],
  isRunning: true,
  isDeleting: false,
  ...more,
});
const three = [1, 2, 3].map((n) => member(n));
const facts = (members: readonly QuorumMember[], machines: readonly QuorumMachine[]): QuorumFacts => ({
  members,
  desiredVoters: 3,
  machines,
  leaving: 'machine-1',
});
const leaving = machine(1, { isDeleting: true });
const stayed = [machine(2), machine(3)];
const learner = (more: Partial<QuorumMember> = {}) => member(4, { isVoter: false, ...more });

const cases: readonly (readonly [string, readonly QuorumMember[], readonly QuorumMachine[], string])[] = [
  ['without another machine waits', three, [leaving, ...stayed], 'WaitReplacement'],
  ['with another machine gets a learner there', three, [leaving, ...stayed, machine(4)], 'AddLearner'],
  ['waits for a machine that runs', three, [leaving, ...stayed, machine(4, { isRunning: false })], 'WaitReplacement'],
  [
    'ML-26 waits for the learner',
    [...three, learner({ isSynced: false })],
    [leaving, ...stayed, machine(4)],
    'CaughtUp',
  ],
  ['has the learner promoted', [...three, learner()], [leaving, ...stayed, machine(4)], 'Promote'],
  ['loses its member after that', [...three, member(4)], [leaving, ...stayed, machine(4)], 'RemoveOld'],
  ['ML-54 goes without a member', [member(2), member(3), member(4)], [leaving, ...stayed, machine(4)], 'Release'],
  [
    'ML-54 stays with a learner, which is removed',
    [learner({ addresses: [at(1)] }), ...three.slice(1)],
    [leaving, ...stayed],
    'RemoveOld',
  ],
  [
    'stays while the quorum is lost',
    [member(1), ...[2, 3].map((n) => member(n, { isHealthy: false })), member(4)],
    [leaving, ...stayed],
    'Wait',
  ],
  [
    'that is unhealthy is replaced as well',
    [member(1, { isHealthy: false }), member(2), member(3)],
    [leaving, ...stayed, machine(4)],
    'AddLearner',
  ],
  ['stays when no member answers', [], [leaving, ...stayed], 'Wait'],
  [
    'stays when no member is found on any machine',
    [1, 2, 3].map((n) => member(n, { addresses: [`etcd-${n}.example.org`] })),
    [leaving, ...stayed],
    'Wait',
  ],
  ['without known addresses stays', three, [{ ...leaving, addresses: [] }, ...stayed], 'Wait'],
  [
    'without known addresses goes when all members are elsewhere',
    [member(2), member(3)],
    [{ ...leaving, addresses: [] }, ...stayed],
    'Release',
  ],
];

test.each(cases.map(([name, members, machines, step]) => ({ name, members, machines, step })))(
  '$name',
  ({ members, machines, step }) => {
    expect(decideQuorum(facts(members, machines)).step).toBe(step);
  },
);

test('of two members that go, the unhealthy one goes first', () => {
  const members = [member(1), member(2, { isHealthy: false }), member(3), member(4), member(5)];
  const machines = [leaving, machine(2, { isDeleting: true }), machine(3), machine(4), machine(5)];
  expect(decideQuorum(facts(members, machines))).toMatchObject({ step: 'Wait' });
  expect(decideQuorum({ ...facts(members, machines), leaving: 'machine-2' })).toMatchObject({ step: 'RemoveOld' });
});

test('no step that is decided leaves fewer healthy voters than a majority, or fewer than desired', () => {
  const members = fc.uniqueArray(
    fc.record({
      n: fc.integer({ min: 1, max: 7 }),
      isVoter: fc.boolean(),
      isHealthy: fc.boolean(),
      isSynced: fc.boolean(),
    }),
    { selector: ({ n }) => n, maxLength: 7 },
  );
  const machines = fc.array(fc.record({ isRunning: fc.boolean(), isDeleting: fc.boolean() }), {
    minLength: 1,
    maxLength: 7,
  });
  const count = (all: readonly QuorumMember[]) => all.filter(({ isVoter }) => isVoter);
  fc.assert(
    fc.property(members, machines, fc.integer({ min: 1, max: 5 }), (some, places, desiredVoters) => {
      const all = some.map(({ n, ...rest }) => member(n, rest));
      const nodes = places.map((place, index) => machine(index + 1, place));
      const decided = decideQuorum({ members: all, desiredVoters, machines: nodes, leaving: 'machine-1' });
      if (decided.step === 'Release') expect(all.some(({ addresses }) => addresses.includes(at(1)))).toBe(false);
      if (decided.step !== 'Promote' && decided.step !== 'RemoveOld') return;
      const { id, isVoter } = decided.member;
      const after =
        decided.step === 'Promote'
          ? all.map((one) => (one.id === id ? { ...one, isVoter: true } : one))
          : all.filter((one) => one.id !== id);
      const healthy = count(after).filter(({ isHealthy }) => isHealthy).length;
      if (decided.step === 'RemoveOld' && !isVoter) return;
      expect(healthy).toBeGreaterThanOrEqual(quorumOf(count(after).length));
      if (decided.step === 'RemoveOld') expect(healthy).toBeGreaterThanOrEqual(desiredVoters);
    }),
    { numRuns: 3000 },
  );
});
