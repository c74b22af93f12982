import { describe, expect, test } from 'vitest';
import { provides, stockedCatalog, stockedPackage } from '../../../test/support/stocked-catalog.ts';
import { parseVersion } from '../../constraints/index.ts';
import { givenUp, type InstallationState } from './fail-forward.ts';
import { resolve } from './resolve.ts';

const state = (name: string, phase: string, replaces?: string): InstallationState => ({
  name,
  phase,
  ...(replaces === undefined ? {} : { replaces }),
});

test.each([
  { name: 'nothing', states: [state('a1', 'Succeeded')], expected: [] },
  {
    name: 'nothing while the update is under way',
    states: [state('a1', 'Replacing'), state('a2', 'Installing', 'a1')],
    expected: [],
  },
  {
    name: 'what gives way to a failure',
    states: [state('a1', 'Replacing'), state('a2', 'Failed', 'a1')],
    expected: ['a1'],
  },
  {
    name: 'a whole chain, of which nothing else is part',
    states: [
      state('a1', 'Replacing'),
      state('a2', 'Replacing', 'a1'),
      state('a3', 'Failed', 'a2'),
      state('b1', 'Replacing'),
      state('b2', 'Succeeded', 'b1'),
    ],
    expected: ['a1', 'a2'],
  },
])('gives up $name', ({ states, expected }) => {
  expect([...givenUp(states, 'ns')]).toEqual(expected);
});

test.each([
  [[state('a1', 'Replacing', 'a2'), state('a2', 'Replacing', 'a1')], 'csv ns/a1 has already been seen'],
  [
    [state('a1', 'Replacing'), state('a2', 'Pending', 'a1'), state('a3', 'Failed', 'a2')],
    'csv ns/a2 in phase Pending instead of Replacing',
  ],
])('refuses a chain that cannot be: %j', (states, message) => {
  expect(() => givenUp(states, 'ns')).toThrow(message);
});

describe('after an update that failed', () => {
  const api = provides('K');
  const versions = { '1.0.0': [api], '1.1.0': [api], '1.2.0': [api] };
  const catalog = stockedCatalog('cat', [
    stockedPackage('a', { stable: '1.0.0; 1.1.0 <1.0.0; 1.2.0 <1.1.0' }, versions),
  ]);
  const states = [state('a.v1.0.0', 'Replacing'), state('a.v1.1.0', 'Failed', 'a.v1.0.0')];
  const bundles = ['1.0.0', '1.1.0'].map((version) => ({
    name: `a.v${version}`,
    version: parseVersion(version),
    packageName: 'a',
    properties: [api],
  }));
  const requested = [{ name: 'a-sub', packageName: 'a', channel: 'stable', installed: 'a.v1.1.0' }];

  test('CR-C32 no update starts while both are in view, and one does when the replaced one is not', () => {
    const request = { catalogs: [catalog], namespace: 'ns', requested };
    expect(resolve({ ...request, installed: bundles }).outcome).toBe('conflict');
    const hidden = givenUp(states, 'ns');
    const found = resolve({ ...request, installed: bundles.filter(({ name }) => !hidden.has(name)) });
    const chosen = found.outcome === 'resolved' ? found.bundles.map(({ candidate }) => candidate.name) : [];
    expect(chosen).toEqual(['a.v1.2.0']);
  });
});
