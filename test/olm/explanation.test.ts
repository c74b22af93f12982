import { expect, test } from 'vitest';
import { type Explanation, explain } from '../support/explanation.ts';
import { comparable } from './comparable.ts';

const rule: Explanation = {
  kind: 'defect',
  reason: 'It differs.',
  scenarios: ['A'],
  path: /^metrics$/,
  shows: /count/,
};
const difference = { label: 'installed', path: 'metrics', reference: 'count 1' };

test('a difference is explained by the scenario, the path and what is shown there', () => {
  expect(explain('A', [difference], [rule])).toEqual({ unexplained: [], used: [rule] });
  for (const [id, other] of [
    ['B', difference],
    ['A', { ...difference, path: 'events' }],
    ['A', { ...difference, reference: 'sum 1' }],
  ] as const) {
    expect(explain(id, [other], [rule])).toEqual({ unexplained: [other], used: [] });
  }
});

test('waits, empty members of Go types and the order of labels of a series are not compared', () => {
  const key = 'ClusterServiceVersion $id-a/boat.v0.1.0';
  const wait = 'Installing / InstallWaiting / installing: waiting for deployment boat to become ready: …';
  const { snapshots } = comparable({
    title: 'x',
    snapshots: [
      {
        label: 'installed',
        objects: { [key]: { spec: { cleanup: { enabled: false }, provider: {}, version: '1' } } },
        phases: { [key]: ['Pending', wait] },
        events: [],
        metrics: ['m{b="2",a="1"} 1'],
      },
    ],
  });
  expect(snapshots[0]).toMatchObject({ phases: { [key]: ['Pending'] }, metrics: ['m{a="1",b="2"} 1'] });
  expect(snapshots[0]?.objects).toEqual({ [key]: { spec: { version: '1' } } });
});
