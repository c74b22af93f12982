import { expect, test } from 'vitest';
import { type UpdateTarget, updatePath } from './index.ts';

function target(version: string, from: readonly string[], risky: Readonly<Record<string, string>> = {}): UpdateTarget {
  const list = Object.entries(risky).map(([source, risk]) => ({ from: source, risks: [risk] }));
  return { version, channels: [], from, risky: list };
}

const targets = [
  target('1.3.0', ['1.2.1']),
  target('1.2.1', ['1.1.0'], { '1.0.0': 'SlowStart' }),
  target('1.2.0', []),
  target('1.1.0', ['1.0.0']),
  target('1.0.0', []),
];

test.each([
  {
    name: 'the way without risks is taken, although it is longer',
    ends: { from: '1.0.0', to: '1.3.0' },
    expected: ['1.0.0 1.1.0', '1.1.0 1.2.1', '1.2.1 1.3.0'],
  },
  { name: 'a direct update is one hop', ends: { from: '1.2.1', to: '1.3.0' }, expected: ['1.2.1 1.3.0'] },
  { name: 'a version needs no update to itself', ends: { from: '1.1.0', to: '1.1.0' }, expected: [] },
])('$name', ({ ends, expected }) => {
  const { hops, reason } = updatePath(targets, ends);
  expect([hops.map(({ from, to }) => `${from} ${to}`), reason]).toEqual([expected, undefined]);
});

test('risks are taken where there is no other way, and named', () => {
  const risky = [target('1.1.0', [], { '1.0.0': 'SlowStart' }), target('1.0.0', [])];
  expect(updatePath(risky, { from: '1.0.0', to: '1.1.0' }).hops).toEqual([
    { from: '1.0.0', to: '1.1.0', risks: ['SlowStart'] },
  ]);
});

test.each([
  { ends: { from: '1.2.0', to: '1.3.0' }, expected: '1.3.0 is reached from 1.2.1, and none of these from 1.2.0' },
  { ends: { from: '1.1.0', to: '1.2.0' }, expected: 'no update leads to 1.2.0' },
  { ends: { from: '1.1.0', to: '1.0.0' }, expected: '1.0.0 is older than 1.1.0' },
  { ends: { from: '0.9.0', to: '1.0.0' }, expected: 'the channel does not have 0.9.0' },
])('without a way the reason is named: $expected', ({ ends, expected }) => {
  expect(updatePath(targets, ends)).toEqual({ hops: [], reason: expected });
});
