import { expect, test } from 'vitest';
import { poolNodeObject, poolObject } from '../../../test/support/pool-cluster.ts';
import { SteppedClock } from '../../../test/support/stepped-clock.ts';
import { parseMachineConfigPool } from '../../api/index.ts';
import { chooseNodes } from './choice.ts';
import { maxUnavailableOf } from './max-unavailable.ts';
import { poolNode } from './pool-node.ts';
import { countNodes, isPoolUpdated } from './status.ts';

const minuteMs = 60_000;
/** How long a node takes: drained, changed, restarted. */
const updateMs = 10 * minuteMs;

interface SimulatedNode {
  readonly name: string;
  desired: string;
  current: string;
  doneAtMs: number;
}

/** Updates all nodes with a clock that is moved from one end of an update to the next. */
function simulate(count: number, maxUnavailable: number | string | undefined) {
  const clock = new SteppedClock(0);
  const nodes = Array.from(
    { length: count },
    (_, index): SimulatedNode => ({
      name: `node-${String(index).padStart(3, '0')}`,
      desired: 'v0',
      current: 'v0',
      doneAtMs: 0,
    }),
  );
  const pool = parseMachineConfigPool(poolObject('worker', maxUnavailable === undefined ? {} : { maxUnavailable }));
  const limit = maxUnavailableOf(pool, count);
  let [most, rounds] = [0, 0];
  for (;;) {
    const seen = nodes.map(({ name, current, desired }) =>
      poolNode(
        poolNodeObject(name, {
          current,
          desired,
          state: current === desired ? 'Done' : 'Working',
          unschedulable: current !== desired,
          created: '2030-01-01T00:00:00Z',
        }),
      ),
    );
    if (isPoolUpdated(countNodes(seen, 'v1'))) return { limit, most, rounds, minutes: clock.now() / minuteMs };
    const { chosen } = chooseNodes({ target: 'v1', nodes: seen, maxUnavailable: limit });
    rounds += 1;
    for (const { name } of chosen) {
      const node = nodes.find((one) => one.name === name);
      if (node !== undefined) Object.assign(node, { desired: 'v1', doneAtMs: clock.now() + updateMs });
    }
    const working = nodes.filter(({ current, desired }) => current !== desired);
    most = Math.max(most, working.length);
    const nextMs = Math.min(...working.map(({ doneAtMs }) => doneAtMs));
    clock.jump(nextMs - clock.now());
    for (const node of working) if (node.doneAtMs <= clock.now()) node.current = 'v1';
  }
}

test.each([
  { maxUnavailable: undefined, nodes: 4, limit: 1 },
  { maxUnavailable: 1, nodes: 4, limit: 1 },
  { maxUnavailable: 3, nodes: 5, limit: 3 },
  { maxUnavailable: '10%', nodes: 4, limit: 1 },
  { maxUnavailable: '50%', nodes: 4, limit: 2 },
  { maxUnavailable: '50%', nodes: 5, limit: 2 },
  { maxUnavailable: '60%', nodes: 4, limit: 2 },
  { maxUnavailable: '100%', nodes: 3, limit: 3 },
  { maxUnavailable: 0, nodes: 3, limit: 1 },
  { maxUnavailable: '10%', nodes: 500, limit: 50 },
  { maxUnavailable: 7, nodes: 500, limit: 7 },
  { maxUnavailable: '33%', nodes: 500, limit: 165 },
])(
  'MP-10: $nodes nodes with $maxUnavailable: $limit at a time, in as many steps as that takes',
  ({ maxUnavailable, nodes, limit }) => {
    const steps = Math.ceil(nodes / limit);
    expect(simulate(nodes, maxUnavailable)).toEqual({ limit, most: limit, rounds: steps, minutes: steps * 10 });
  },
);
