import { expect, test } from 'vitest';
import type { UpdateHistory } from '../../api/index.ts';
import { mergeHistory, pruneHistory, stateOf } from './history.ts';

const now = '2030-01-01T00:00:00Z';
const entry = (version: string, state = 'Completed', image = `r@sha256:${version}`): UpdateHistory => ({
  state,
  startedTime: '2029-01-01T00:00:00Z',
  completionTime: state === 'Completed' ? '2029-01-01T01:00:00Z' : null,
  version,
  image,
  verified: false,
});
const facts = { isCompleted: false, isVerified: false, acceptedRisks: undefined, now };

test('CV-65: the same digest in another registry is another update', () => {
  const history = [entry('1.0.0', 'Completed', 'a/r@sha256:1')];
  const merged = mergeHistory(history, { ...facts, desired: { version: '1.0.0', image: 'b/r@sha256:1' } });
  expect(merged.map(({ image, state }) => [image, state])).toEqual([
    ['b/r@sha256:1', 'Partial'],
    ['a/r@sha256:1', 'Completed'],
  ]);
});

test('CV-67: an entry with an image alone gets the version once it is known', () => {
  const history = mergeHistory([], { ...facts, desired: { version: '', image: 'r@sha256:1' } });
  const merged = mergeHistory(history, {
    ...facts,
    isCompleted: true,
    desired: { version: '1.0.0', image: 'r@sha256:1' },
  });
  expect(merged).toEqual([{ ...entry('1.0.0', 'Completed', 'r@sha256:1'), startedTime: now, completionTime: now }]);
});

test('without an image the history stays as it is', () => {
  expect(mergeHistory([entry('1.0.0')], { ...facts, desired: { version: '1.1.0', image: '' } })).toEqual([
    entry('1.0.0'),
  ]);
});

test('another release closes the entry before it, whose state stays', () => {
  const merged = mergeHistory([entry('1.1.0', 'Partial')], { ...facts, desired: { version: '1.2.0', image: 'x' } });
  expect(merged).toMatchObject([
    { state: 'Partial', version: '1.2.0', completionTime: null },
    { state: 'Partial', version: '1.1.0', completionTime: now },
  ]);
});

test('what was verified, and which risks were accepted, is never forgotten', () => {
  const desired = { version: '1.0.0', image: 'r@sha256:1.0.0' };
  const noted = mergeHistory([entry('1.0.0', 'Partial')], {
    ...facts,
    desired,
    isVerified: true,
    acceptedRisks: 'bold',
  });
  const later = mergeHistory(noted, { ...facts, desired, acceptedRisks: '' });
  expect(later[0]).toMatchObject({ verified: true, acceptedRisks: 'bold' });
});

test('what was accepted is cut: a hundred entries fit into the status', () => {
  const desired = { version: '1.0.0', image: 'r@sha256:1.0.0' };
  const merged = mergeHistory([], { ...facts, desired, acceptedRisks: 'x'.repeat(100_000) });
  expect(merged[0]?.acceptedRisks).toHaveLength(4_097);
});

test('CV-66: of 101 entries one is removed: neither the oldest, nor the five newest, nor the latest Completed', () => {
  const history = Array.from({ length: 101 }, (_, index) =>
    entry(`4.${20 - Math.floor(index / 10)}.${100 - index}`, index % 10 === 6 ? 'Completed' : 'Partial'),
  );
  const pruned = pruneHistory(history);
  expect(pruned).toHaveLength(100);
  const [removed] = history.filter((one) => !pruned.includes(one));
  const index = history.indexOf(removed ?? entry(''));
  expect(index).toBeGreaterThan(4);
  expect(index).toBeLessThan(100);
  expect(removed?.state).toBe('Partial');
  expect(pruneHistory(pruned)).toBe(pruned);
});

test.each([
  { name: 'no history', history: [], state: 'Initializing' },
  { name: 'CV-52: an installation that was interrupted', history: [entry('1.0.0', 'Partial')], state: 'Initializing' },
  { name: 'CV-51: a completed release', history: [entry('1.0.0')], state: 'Reconciling' },
  { name: 'another release than the latest', history: [entry('0.9.0')], state: 'Updating' },
  {
    name: 'CV-52: an update that was interrupted',
    history: [entry('1.0.0', 'Partial'), entry('0.9.0')],
    state: 'Updating',
  },
])('$name: $state', ({ history, state }) => {
  expect(stateOf(history, 'r@sha256:1.0.0')).toBe(state);
});
