import { expect, test } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { SteppedClock } from '../../test/support/index.ts';
import { followShardPlan, type ShardPlan } from './shard-plan.ts';

/** A server whose Lease is annotated with the number of shards. */
class PlanServer {
  shardCount: string | undefined;
  isDown = false;

  readonly client: Pick<KubeClient, 'get'> = {
    get: async ({ apiVersion, kind, name }) => {
      if (this.isDown) throw new Error('the server is down');
      const annotations = this.shardCount === undefined ? {} : { 'core.rukpak.io/shards': this.shardCount };
      return await Promise.resolve({ apiVersion, kind, metadata: { name, annotations } });
    },
  };
}

async function pass(clock: SteppedClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 250) await clock.pass(250);
}

function follow(server: PlanServer): { readonly plan: ShardPlan; readonly steady: SteppedClock } & Disposable {
  const steady = new SteppedClock(0);
  const stop = new AbortController();
  const place = { namespace: 'rukpak-system', count: 2, durationMs: 12_000 };
  const plan = followShardPlan({ ...place, kube: server.client, steady, log: silentLogger(), signal: stop.signal });
  return { plan, steady, [Symbol.dispose]: () => stop.abort() };
}

test('a shard works while its number of shards is that of the first shard', async () => {
  const server = new PlanServer();
  using followed = follow(server);
  const { plan, steady } = followed;
  for (const count of [undefined, '3']) {
    server.shardCount = count;
    await pass(steady, 5_000);
    expect(plan.isAgreed()).toBe(false);
  }
  server.shardCount = '2';
  await pass(steady, 5_000);
  await plan.whenAgreed;
  expect(plan.isAgreed()).toBe(true);
  server.shardCount = '3';
  await pass(steady, 5_000);
  await plan.whenBroken;
  expect(plan.isAgreed()).toBe(false);
});

test('a shard that cannot read the plan works on for less than the duration of a lease', async () => {
  const server = new PlanServer();
  server.shardCount = '2';
  using followed = follow(server);
  const { plan, steady } = followed;
  await pass(steady, 2_500);
  await plan.whenAgreed;
  server.isDown = true;
  await pass(steady, 4_000);
  expect(plan.isAgreed()).toBe(true);
  await pass(steady, 8_000);
  await plan.whenBroken;
  expect(plan.isAgreed()).toBe(false);
});
