import { expect, test } from 'vitest';
import type { JsonValue } from '../base/index.ts';
import { readDependencies } from '../constraints/index.ts';
import { relationsOf } from './relations.ts';
import type { Participant } from './standing.ts';

const harbourApi = { group: 'tide.example', version: 'v1', kind: 'Harbour' };

function participant(name: string, needs: readonly JsonValue[], provides: readonly JsonValue[] = []): Participant {
  const { dependencies, problems } = readDependencies('dependencies', [...needs]);
  expect(problems).toEqual([]);
  const own = { type: 'olm.package', value: { packageName: name, version: '1.0.0' } };
  return { name, dependencies, properties: [own, ...provides.map((value) => ({ type: 'olm.gvk', value }))] };
}

const onPackage = (packageName: string): JsonValue => ({
  type: 'olm.package',
  value: { packageName, version: '>=1.0.0' },
});
const onApi: JsonValue = { type: 'olm.gvk', value: harbourApi };

test('a need names who meets it, and a provider those that break without it', () => {
  const harbour = participant('harbour', [], [harbourApi]);
  const gauge = participant('gauge', [onPackage('harbour'), onApi]);
  expect(relationsOf({ active: [harbour, gauge], pending: [], servesApi: () => true })).toEqual([
    { name: 'harbour', needs: [], requiredBy: ['gauge'] },
    {
      name: 'gauge',
      needs: [
        { text: 'package harbour >=1.0.0', isMet: true, metBy: ['harbour'] },
        { text: 'API Harbour.v1.tide.example', isMet: true, metBy: ['harbour'] },
      ],
      requiredBy: [],
    },
  ]);
});

test('nothing breaks where another provides the same, or where the cluster serves it anyway', () => {
  const harbour = participant('harbour', [], [harbourApi]);
  const port = { ...participant('port', [], [harbourApi]) };
  const gauge = participant('gauge', [onApi]);
  const [first, second, third] = relationsOf({ active: [harbour, port, gauge], pending: [], servesApi: () => true });
  expect([first?.requiredBy, second?.requiredBy]).toEqual([[], []]);
  expect(third?.needs[0]?.metBy).toEqual(['harbour', 'port']);
  const [alone] = relationsOf({ active: [gauge], pending: [], servesApi: () => true });
  expect(alone?.needs).toEqual([{ text: 'API Harbour.v1.tide.example', isMet: true, metBy: [] }]);
});

test('what waits for something is listed with what it lacks, and provides nothing', () => {
  const gauge = participant('gauge', [onPackage('harbour')]);
  const harbour = participant('harbour', [onPackage('sea')]);
  const [first, second] = relationsOf({ active: [gauge], pending: [harbour], servesApi: () => false });
  expect(first?.needs).toEqual([{ text: 'package harbour >=1.0.0', isMet: false, metBy: [] }]);
  expect(second?.needs[0]).toMatchObject({ isMet: false, metBy: [] });
});
