import { expect, test } from 'vitest';
import { formatYaml, type JsonObject, objectsAt, textAt } from '../../base/index.ts';
import { configMapMetas } from './config-map-metas.ts';

const definition = {
  kind: 'CustomResourceDefinition',
  spec: { group: 'example.com', names: { kind: 'Boat', plural: 'boats' }, versions: [{ name: 'v1' }] },
};

function csvOf(name: string, spec: JsonObject = {}, annotations: JsonObject = {}): JsonObject {
  const owned = [{ name: 'boats.example.com', version: 'v1', kind: 'Boat' }];
  return {
    kind: 'ClusterServiceVersion',
    metadata: { name, annotations },
    spec: { version: `${name.slice('boat.v'.length)}.0.0`, customresourcedefinitions: { owned }, ...spec },
  };
}

interface Lists {
  readonly definitions?: readonly JsonObject[];
  readonly csvs?: readonly JsonObject[];
  readonly packages?: unknown;
}

const alpha = [{ packageName: 'boat', channels: [{ name: 'alpha', currentCSV: 'boat.v2' }] }];

function metasOf({ definitions = [definition], csvs = [], packages = alpha }: Lists): readonly JsonObject[] {
  const data = {
    customResourceDefinitions: formatYaml(definitions),
    clusterServiceVersions: formatYaml(csvs),
    packages: formatYaml(packages),
  };
  return [...configMapMetas('ns/boats', data)].map(({ value }) => value);
}

test('a channel has its head and all that it replaces, with skips and ranges', () => {
  const csvs = [
    csvOf('boat.v1'),
    csvOf('boat.v2', { replaces: 'boat.v1', skips: ['boat.v0'] }, { 'olm.skipRange': '<2.0.0' }),
    csvOf('boat.v9'),
  ];
  const metas = metasOf({ csvs });
  expect(metas.map((meta) => `${textAt(meta, 'schema')} ${textAt(meta, 'name')}`)).toEqual([
    'olm.package boat',
    'olm.channel alpha',
    'olm.bundle boat.v2',
    'olm.bundle boat.v1',
  ]);
  expect(metas[0]).toMatchObject({ defaultChannel: 'alpha' });
  expect(metas[1]?.['entries']).toEqual([
    { name: 'boat.v2', replaces: 'boat.v1', skips: ['boat.v0'], skipRange: '<2.0.0' },
    { name: 'boat.v1' },
  ]);
  const types = objectsAt(metas[2], 'properties').map((property) => textAt(property, 'type'));
  expect(types.toSorted()).toEqual(['olm.bundle.object', 'olm.bundle.object', 'olm.gvk', 'olm.package']);
});

test('versions that replace one another in a circle end the channel', () => {
  const csvs = [csvOf('boat.v1', { replaces: 'boat.v2' }), csvOf('boat.v2', { replaces: 'boat.v1' })];
  expect(metasOf({ csvs }).filter(({ schema }) => schema === 'olm.bundle')).toHaveLength(2);
});

test.each<[string, Lists, RegExp]>([
  ['a head that does not exist', {}, /package boat, channel alpha: there is no CSV "boat.v2"/],
  ['an owned definition that is missing', { definitions: [], csvs: [csvOf('boat.v2')] }, /boat.v2: .*couldn't find/],
  ['a list that is none', { packages: 'boat' }, /key packages: expected a list of objects/],
])('%s is refused', (_what, lists, message) => {
  expect(() => metasOf(lists)).toThrow(message);
});

test('YAML that grows without bound is refused', () => {
  const levels = Array.from({ length: 30 }, (_, n) => `- &a${n + 1} [*a${n}, *a${n}, *a${n}, *a${n}, *a${n}]`);
  const data = {
    customResourceDefinitions: `- &a0 x\n${levels.join('\n')}\n`,
    clusterServiceVersions: '',
    packages: '',
  };
  expect(() => [...configMapMetas('ns/boats', data)]).toThrow(/^configmap ns\/boats: /);
});
