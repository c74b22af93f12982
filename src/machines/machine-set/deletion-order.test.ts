import { expect, test } from 'vitest';
import { type Machine, machineAnnotations, parseMachine } from '../../api/index.ts';
import { formatTimestamp, type JsonObject } from '../../base/index.ts';
import { deletionScore, machinesToDelete } from './deletion-order.ts';

const nowMs = Date.parse('2030-01-01T00:00:00Z');
const year = 365 * 24 * 3600;

function machine(
  name: string,
  {
    age = 60,
    status = { nodeRef: { name: 'n' } },
    ...metadata
  }: JsonObject & { age?: number; status?: JsonObject } = {},
): Machine {
  const creationTimestamp = Number.isNaN(age) ? null : formatTimestamp(nowMs - age * 1000);
  return parseMachine({
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'Machine',
    metadata: { name, creationTimestamp, ...metadata },
    status,
  });
}

const marked = { annotations: { [machineAnnotations.deleteMachine]: 'yes' } };
const scores = (one: Machine): number[] =>
  (['Random', 'Newest', 'Oldest'] as const).map((policy) => Math.round(deletionScore(one, policy, nowMs) * 100) / 100);

test.each([
  ['being deleted', { deletionTimestamp: '2030-01-01T00:00:00Z' }, [100, 100, 100]],
  ['marked', marked, [50, 100, 100]],
  ['marked with an empty value', { annotations: { [machineAnnotations.deleteMachine]: '' } }, [20, 100, 0]],
  ['failed', { status: { errorMessage: 'lost' } }, [50, 100, 100]],
  ['without a node', { status: {} }, [40, 100, 0]],
  ['10 s old', { age: 10 }, [20, 100, 0]],
  ['10 years old', { age: 10 * year }, [20, 50, 50]],
  ['100 days old', { age: 8_640_000 }, [20, 68.39, 31.61]],
  ['from the future', { age: -60 }, [20, 100, 0]],
  ['of unknown age', { age: Number.NaN }, [20, 100, 0]],
])('ML-51: a machine %s has these scores', (_what, more, expected) => {
  expect(scores(machine('a', more))).toEqual(expected);
});

test('ML-51: the highest scores go; of equal ones always the same', () => {
  const machines = [machine('c', { age: 10 }), machine('a', { age: year }), machine('b'), machine('d', marked)];
  const names = (policy: 'Random' | 'Newest' | 'Oldest', count: number): string[] =>
    machinesToDelete(machines, { count, policy, nowMs }).map(({ metadata }) => metadata.name);
  expect(names('Random', 2)).toEqual(['d', 'a']);
  expect(names('Oldest', 2)).toEqual(['d', 'a']);
  expect(names('Newest', 2)).toEqual(['d', 'c']);
  expect(names('Newest', -1)).toEqual([]);
});
