import { expect, test } from 'vitest';
import { differencesOf } from './compare.ts';
import type { Recording, Snapshot } from './scenario.ts';

const csv = 'ClusterServiceVersion $id-a/boat.v0.1.0';

function recording(snapshot: Partial<Snapshot> = {}): Recording {
  const objects = { [csv]: { status: { phase: 'Succeeded', conditions: [{ phase: 'Pending' }] } } };
  const whole: Snapshot = { label: 'installed', objects, phases: {}, events: ['e1', 'e2'], metrics: ['m 1'] };
  return { title: 'a CSV is installed', snapshots: [{ ...whole, ...snapshot }] };
}

test('two equal recordings have no difference', () => {
  expect(differencesOf(recording(), recording())).toEqual([]);
});

test('a difference names the point of rest, the object, the field and both values', () => {
  const other = recording({ objects: { [csv]: { status: { phase: 'Failed', conditions: [] } } } });
  expect(differencesOf(recording(), other)).toEqual([
    { label: 'installed', path: `objects[${csv}].status.conditions[0]`, reference: '{"phase":"Pending"}' },
    { label: 'installed', path: `objects[${csv}].status.phase`, reference: '"Succeeded"', ours: '"Failed"' },
  ]);
});

test('an object that one side deleted or never had is one difference', () => {
  expect(differencesOf(recording({ objects: { [csv]: null } }), recording({ objects: {} }))).toEqual([
    { label: 'installed', path: `objects[${csv}]`, reference: 'null' },
  ]);
});

test('Events and metrics are compared line by line, in any order', () => {
  const other = recording({ events: ['e2', 'e3', 'e1'], metrics: [] });
  expect(differencesOf(recording(), other)).toEqual([
    { label: 'installed', path: 'events', ours: 'e3' },
    { label: 'installed', path: 'metrics', reference: 'm 1' },
  ]);
});

test('the order of phases is compared, as is whether an implementation comes to rest', () => {
  const [pending, installed] = ['Pending', 'Succeeded'];
  const differences = differencesOf(
    recording({ phases: { [csv]: [pending, installed] } }),
    recording({ phases: { [csv]: [installed] }, restless: true }),
  );
  expect(differences.map(({ path }) => path)).toEqual(['restless', `phases[${csv}]`]);
  const swapped = recording({ phases: { [csv]: [installed, pending] } });
  expect(differencesOf(recording({ phases: { [csv]: [pending, installed] } }), swapped)).toHaveLength(1);
});

test('a point of rest that one side lacks is a difference', () => {
  expect(differencesOf(recording(), { title: 'x', snapshots: [] })).toEqual([
    { label: 'installed', path: '', reference: 'a point of rest' },
  ]);
});
