import { expect, test } from 'vitest';
import { formatTimestamp, silentLogger } from '../../src/base/index.ts';
import { runForEachTest } from '../../test/support/controllers-for-each-test.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { SteppedClock } from '../../test/support/stepped-clock.ts';
import { runControllers } from './controller.ts';
import { expiredEvents } from './expired-events.ts';

const as = { as: 'test' };
const minuteMs = 60_000;
let cluster: MemoryCluster;
let clock: SteppedClock;

runForEachTest((world) => {
  ({ cluster, clock } = world);
  return runControllers({ cluster, log: silentLogger() }, [expiredEvents(cluster, clock)]);
});

/** What a server notes of a write. */
const written = () => ({ managedFields: [{ manager: 'm', operation: 'Update', time: formatTimestamp(clock.now()) }] });

async function createEvent(name: string): Promise<void> {
  const involvedObject = { kind: 'Pod', namespace: 'ns', name: 'p' };
  const event = { apiVersion: 'v1', kind: 'Event', metadata: { namespace: 'ns', name, ...written() }, involvedObject };
  await cluster.create(cluster.type('events'), event, as);
}

const names = (): string[] => cluster.list(cluster.type('events')).map(({ metadata }) => metadata.name ?? '');

/** In steps, as looks at the clock follow each other. */
async function pass(minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 5) {
    await clock.pass(5 * minuteMs);
    await eventually(() => expect(clock.sleeping).toBe(1));
  }
}

test('an Event that was not written to for an hour is deleted', async () => {
  await createEvent('once');
  await createEvent('again');
  await pass(30);
  await cluster.patch(cluster.type('events'), { namespace: 'ns', name: 'again' }, { metadata: written() }, as);
  await pass(25);
  expect(names()).toEqual(['once', 'again']);
  await pass(10);
  await eventually(() => expect(names()).toEqual(['again']));
  await pass(30);
  await eventually(() => expect(names()).toEqual([]));
});

test('an Event of a time when the clock was ahead does not stay until then', async () => {
  await createEvent('from-next-year');
  clock.jump(-365 * 24 * 60 * minuteMs);
  await pass(5);
  await eventually(() => expect(names()).toEqual([]));
});
