import { expect, test } from 'vitest';
import { loadBuiltinSchemas } from '../../../apiserver/schema/index.ts';
import { objectAt } from '../../../src/base/index.ts';
import { describeObject, drawObjects } from './draw.ts';
import type { CostlyKind } from './kinds.ts';
import { countFor, placesOf } from './places.ts';

const [first, ...others] = placesOf(loadBuiltinSchemas().kind('', 'v1', 'Pod') ?? {});
if (first === undefined) throw new Error('a Pod has lists');
const places = [first, ...others] as const;
const pods: CostlyKind = { apiVersion: 'v1', kind: 'Pod', path: '/api/v1/namespaces/{namespace}/pods', places };

function place(path: string): (typeof places)[number] {
  const found = places.find((one) => one.path === path);
  if (found === undefined) throw new Error(`no ${path}`);
  return found;
}

test('the places of a kind are its lists and maps, those in lists included, and not what the server writes', () => {
  const paths = places.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'metadata.labels{}',
      'metadata.ownerReferences',
      'spec.containers',
      'spec.containers[].env',
      'spec.containers[].resources.limits{}',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[].labelSelector.matchExpressions',
      'status.conditions',
    ]),
  );
  expect(paths.filter((path) => path.startsWith('metadata.managedFields'))).toEqual([]);
});

test('values are put beside what an object has', () => {
  const object = { spec: { containers: [{ name: 'c', image: 'i' }], hostname: 'h' } };
  const values = { count: 2, isFull: false, isRepeated: false };
  expect(place('spec.containers[].ports').fill(object, values)).toEqual({
    spec: {
      containers: [
        {
          name: 'c',
          image: 'i',
          ports: [
            { name: 'n0', containerPort: 1, protocol: 'TCP' },
            { name: 'n1', containerPort: 2, protocol: 'TCP' },
          ],
        },
      ],
      hostname: 'h',
    },
  });
});

test('there are as many values as fit into a size, or as an object may have fields', () => {
  const short = { isFull: false, isRepeated: false };
  const finalizers = countFor(place('metadata.finalizers'), 1000, short);
  const text = JSON.stringify(place('metadata.finalizers').fill({}, { ...short, count: finalizers }));
  expect(text.length).toBeGreaterThan(500);
  expect(text.length).toBeLessThan(1500);
  expect(countFor(place('metadata.finalizers'), 100_000_000, short)).toBeLessThan(100_000);
});

test('a seed and a number draw the same objects, other numbers others', () => {
  const drawn = (number: number): unknown => {
    const { object, crowd } = drawObjects([pods], { seed: 1, number });
    return [object.named('a'), crowd?.named('b')];
  };
  expect(drawn(1)).toEqual(drawn(1));
  expect(drawn(1)).not.toEqual(drawn(2));
});

test('an object keeps what it needs, and its name', () => {
  const { object } = drawObjects([pods], { seed: 1, number: 3 });
  expect(describeObject(object)).toMatch(/^Pod /);
  const made = object.named('a');
  expect(objectAt(made, 'metadata')?.['name']).toBe('a');
  expect(objectAt(made, 'spec')?.['containers']).toBeDefined();
});
