import { afterEach, expect, test } from 'vitest';
import { eventually, SteppedClock } from '../../test/support/index.ts';
import { silentLogger, systemClock } from '../base/index.ts';
import { type KubeObject, KubeRejection, KubeUnavailable } from '../kube/index.ts';
import { type LeaderElection, type LeaderElectionOptions, startLeaderElection } from './index.ts';

let open: LeaderElection[] = [];
afterEach(async () => {
  await Promise.all(open.map((election) => election[Symbol.asyncDispose]()));
  open = [];
});

/** A server that has one Lease. */
class LeaseServer {
  lease: KubeObject | undefined;
  isDown = false;
  writes = 0;
  /** The next write comes through, its answer does not. */
  losesAnswer = false;
  #version = 0;

  readonly client: LeaderElectionOptions['kube'] = {
    get: async () => {
      this.#answer();
      if (this.lease === undefined) throw this.#failure(404, 'NotFound');
      return await Promise.resolve(structuredClone(this.lease));
    },
    create: (object) => this.#write(object, this.lease === undefined ? undefined : 'AlreadyExists'),
    update: (object) => {
      const isStale = object.metadata.resourceVersion !== this.lease?.metadata.resourceVersion;
      return this.#write(object, isStale ? 'Conflict' : undefined);
    },
  };

  spec(): Record<string, unknown> {
    return this.lease?.['spec'] as Record<string, unknown>;
  }

  async #write(object: KubeObject, refusal: string | undefined): Promise<KubeObject> {
    this.#answer();
    if (refusal === 'AlreadyExists') throw new KubeRejection(this.#facts(409, refusal));
    if (refusal !== undefined) throw this.#failure(409, refusal);
    this.writes += 1;
    this.#version += 1;
    this.lease = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    if (this.losesAnswer) {
      this.losesAnswer = false;
      throw this.#failure(0, 'ConnectionFailed');
    }
    return await Promise.resolve(structuredClone(this.lease));
  }

  #answer(): void {
    if (this.isDown) throw this.#failure(0, 'ConnectionFailed');
  }

  #failure(status: number, reason: string): KubeUnavailable {
    return new KubeUnavailable(this.#facts(status, reason));
  }

  #facts(status: number, reason: string): ConstructorParameters<typeof KubeUnavailable>[0] {
    return { status, reason, message: reason, causes: [], isStatus: true };
  }
}

function stand(server: LeaseServer, identity: string, options: Partial<LeaderElectionOptions> = {}): LeaderElection {
  const election = startLeaderElection({
    kube: server.client,
    lease: { namespace: 'rukpak-system', name: 'core.rukpak.io' },
    identity,
    durationMs: 12_000,
    clock: systemClock,
    steady: new SteppedClock(0),
    log: silentLogger(),
    ...options,
  });
  open.push(election);
  return election;
}

/** Moves time on, bit by bit, so that everybody who sleeps in it comes up in turn. */
async function pass(clock: SteppedClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 250) await clock.pass(250);
}

/** A candidate looks at the lease once in so long, at the latest. */
const longestPauseMs = 2_000;

/** Lets time pass until the candidate leads, and fails after `ms`: while no time passes, no one acquires a lease. */
async function passUntilLeading(clock: SteppedClock, election: LeaderElection, ms: number): Promise<void> {
  let isLeading = false;
  void election.whenLeading.then(() => {
    isLeading = true;
  });
  for (let passed = 0; passed < ms && !isLeading; passed += 250) await clock.pass(250);
  expect(isLeading, `leads within ${ms} ms`).toBe(true);
}

test('the first candidate leads, and the second one once the first has not renewed the lease for its duration', async () => {
  const server = new LeaseServer();
  const [ours, theirs] = [new SteppedClock(0), new SteppedClock(0)];
  const first = stand(server, 'first', { steady: ours });
  await first.whenLeading;
  expect(server.spec()).toMatchObject({ holderIdentity: 'first', leaseDurationSeconds: 12, leaseTransitions: 0 });
  const second = stand(server, 'second', { steady: theirs });
  await eventually(() => expect(second.leader()).toBe('first'));
  await pass(theirs, 11_500);
  expect(second.isLeading()).toBe(false);
  expect(() => second.assertLeading()).toThrow('held by first');
  await passUntilLeading(theirs, second, 500 + longestPauseMs);
  expect(server.spec()).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 });
  await pass(ours, 2_500);
  await first.whenLost;
  expect(() => first.assertLeading()).toThrow('core.rukpak.io: held by second');
});

test('a leader that renews keeps the lease, whatever the clock shows', async () => {
  const server = new LeaseServer();
  const steady = new SteppedClock(0);
  let dateMs = Date.parse('2026-01-01');
  const clock = { ...systemClock, now: () => dateMs + steady.now() };
  const first = stand(server, 'first', { steady, clock });
  await first.whenLeading;
  const second = stand(server, 'second', { steady, clock });
  for (const jumpMs of [3_600_000, -7_200_000, 86_400_000, 0]) {
    dateMs += jumpMs;
    await pass(steady, 12_000);
    expect([first.isLeading(), second.isLeading()]).toEqual([true, false]);
  }
});

test('a leader that cannot renew may not write after two thirds of the duration, and has lost', async () => {
  const server = new LeaseServer();
  const steady = new SteppedClock(0);
  const election = stand(server, 'first', { steady });
  await election.whenLeading;
  server.isDown = true;
  await pass(steady, 7_500);
  election.assertLeading();
  await pass(steady, 750);
  expect(() => election.assertLeading()).toThrow('it must not write');
  await election.whenLost;
});

test('a process that was suspended may not write when it resumes', async () => {
  const steady = new SteppedClock(0);
  const election = stand(new LeaseServer(), 'first', { steady });
  await election.whenLeading;
  steady.jump(60_000);
  expect(() => election.assertLeading()).toThrow('it must not write');
});

test('a lost response does not lose the lease', async () => {
  const server = new LeaseServer();
  const steady = new SteppedClock(0);
  const election = stand(server, 'first', { steady });
  await election.whenLeading;
  server.losesAnswer = true;
  await pass(steady, 30_000);
  expect(election.isLeading()).toBe(true);
});

test('a released lease is free at once', async () => {
  const server = new LeaseServer();
  const steady = new SteppedClock(0);
  const first = stand(server, 'first', { steady });
  await first.whenLeading;
  const second = stand(server, 'second', { steady });
  await eventually(() => expect(second.leader()).toBe('first'));
  await first[Symbol.asyncDispose]();
  expect(server.spec()).not.toHaveProperty('holderIdentity');
  await passUntilLeading(steady, second, longestPauseMs);
});

function edited(seconds: number): (server: LeaseServer) => void {
  return (server) => {
    const lease = server.lease as KubeObject;
    const metadata = { ...lease.metadata, resourceVersion: '99' };
    server.lease = { ...lease, metadata, spec: { ...server.spec(), leaseDurationSeconds: seconds } as never };
  };
}

const handEdits: readonly { readonly name: string; readonly edit: (server: LeaseServer) => void }[] = [
  {
    name: 'deleted',
    edit: (server) => {
      server.lease = undefined;
    },
  },
  {
    name: 'emptied',
    edit: (server) => {
      const { metadata, ...lease } = server.lease as KubeObject;
      const { holderIdentity: _taken, ...spec } = server.spec();
      server.lease = { ...lease, metadata: { ...metadata, resourceVersion: '99' }, spec: spec as never };
    },
  },
  { name: 'shortened to a second', edit: edited(1) },
  { name: 'given a negative duration', edit: edited(-1_000_000) },
];

test.each(handEdits)(
  'of a lease that was $name by hand the holder may not know yet: it is waited for',
  async ({ edit }) => {
    const server = new LeaseServer();
    const theirs = new SteppedClock(0);
    const first = stand(server, 'first', { steady: new SteppedClock(0) });
    await first.whenLeading;
    const second = stand(server, 'second', { steady: theirs });
    await eventually(() => expect(second.leader()).toBe('first'));
    edit(server);
    await pass(theirs, 11_500);
    expect(second.isLeading()).toBe(false);
    // The edit is seen one pause later, and that the duration has passed since one more.
    await passUntilLeading(theirs, second, 500 + 2 * longestPauseMs);
  },
);

test.each(handEdits)('the holder acquires a lease again that was $name by hand', async ({ edit }) => {
  const server = new LeaseServer();
  const steady = new SteppedClock(0);
  const first = stand(server, 'first', { steady });
  await first.whenLeading;
  edit(server);
  await pass(steady, 10_000);
  expect(first.isLeading()).toBe(true);
  expect(server.spec()).toMatchObject({ holderIdentity: 'first' });
});

test('a lease is released even if a renewal had no response, or another client wrote it meanwhile', async () => {
  for (const disturb of [
    (server: LeaseServer) => {
      server.losesAnswer = true;
    },
    ({ lease }: LeaseServer) => {
      if (lease !== undefined) lease.metadata.resourceVersion = '99';
    },
  ]) {
    const server = new LeaseServer();
    const steady = new SteppedClock(0);
    const first = stand(server, 'first', { steady });
    await first.whenLeading;
    disturb(server);
    await pass(steady, 2_000);
    disturb(server);
    await first[Symbol.asyncDispose]();
    expect(server.spec()).not.toHaveProperty('holderIdentity');
  }
});

test('a lease without a duration is waited for', async () => {
  const server = new LeaseServer();
  const metadata = { name: 'core.rukpak.io', namespace: 'rukpak-system', resourceVersion: '7' };
  server.lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: { holderIdentity: 'other' } };
  const steady = new SteppedClock(0);
  const election = stand(server, 'first', { steady });
  await pass(steady, 10_000);
  expect(election.isLeading()).toBe(false);
  await passUntilLeading(steady, election, 2_000 + longestPauseMs);
});

test('of many candidates that start at once exactly one leads', async () => {
  const server = new LeaseServer();
  const steady = new SteppedClock(0);
  const candidates = Array.from({ length: 8 }, (_, at) => stand(server, `candidate-${at}`, { steady }));
  for (let round = 0; round < 8; round += 1) {
    await pass(steady, 3_000);
    expect(candidates.filter((candidate) => candidate.isLeading())).toHaveLength(1);
  }
});

test('if the annotation of the previous leader differs, the next one leads a whole duration later', async () => {
  const server = new LeaseServer();
  const steady = new SteppedClock(0);
  const annotation = 'example.com/parts';
  const first = stand(server, 'first', { steady, note: { annotation, value: '2' } });
  await first.whenLeading;
  expect(server.lease?.metadata.annotations).toEqual({ [annotation]: '2' });
  await first[Symbol.asyncDispose]();
  let isSecondLeading = false;
  const second = stand(server, 'second', { steady, note: { annotation, value: '3' } });
  void second.whenLeading.then(() => {
    isSecondLeading = true;
  });
  await eventually(() => expect(server.lease?.metadata.annotations).toEqual({ [annotation]: '3' }));
  await pass(steady, 11_500);
  expect(isSecondLeading).toBe(false);
  await passUntilLeading(steady, second, 500 + longestPauseMs);
  await second[Symbol.asyncDispose]();
  const third = stand(server, 'third', { steady, note: { annotation, value: '3' } });
  await third.whenLeading;
});
