import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { type BundleParts, bundleDocument } from './bundle-document.ts';
import { migrateDocument, readMigrateLevel } from './migrate.ts';

const annotations = { 'operators.operatorframework.io.bundle.package.v1': 'tide-gauge' };

function csvOf(spec: JsonObject, csvAnnotations: JsonObject = {}): JsonObject {
  const metadata = { name: 'tide-gauge.v0.4.0', annotations: csvAnnotations };
  return { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', metadata, spec };
}

const crd: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  spec: {
    group: 'tide.example',
    names: { kind: 'Gauge', plural: 'gauges' },
    versions: [
      { name: 'v1', served: true },
      { name: 'v1alpha1', served: false },
    ],
  },
};

function partsOf(spec: JsonObject, parts: Partial<BundleParts> & { csvAnnotations?: JsonObject } = {}): BundleParts {
  const { csvAnnotations, ...others } = parts;
  const objects = [csvOf({ version: '0.4.0', ...spec }, csvAnnotations), crd];
  return { objects, annotations, dependencies: undefined, properties: undefined, ...others };
}

/** The properties without those that carry manifests. */
function propertiesIn(parts: BundleParts): readonly JsonValue[] {
  const { properties } = bundleDocument(parts).document;
  return (properties as JsonObject[]).filter(({ type }) => type !== 'olm.bundle.object');
}

const ownPackage = { type: 'olm.package', value: { packageName: 'tide-gauge', version: '0.4.0' } };
const ownApis = ['v1', 'v1alpha1'].map((version) => ({
  type: 'olm.gvk',
  value: { group: 'tide.example', kind: 'Gauge', version },
}));

test('a bundle is named by its ClusterServiceVersion, its package by its annotations; every version of its APIs counts', () => {
  const { document, warnings } = bundleDocument(partsOf({ release: 7 }), 'registry.example/tide:v1');
  expect(warnings).toEqual([]);
  expect(document).toMatchObject({
    schema: 'olm.bundle',
    name: 'tide-gauge.v0.4.0',
    package: 'tide-gauge',
    image: 'registry.example/tide:v1',
    relatedImages: [{ name: '', image: 'registry.example/tide:v1' }],
  });
  expect(propertiesIn(partsOf({ release: 7 }))).toEqual([
    ...ownApis,
    { type: 'olm.package', value: { packageName: 'tide-gauge', version: '0.4.0', release: '7' } },
  ]);
});

test('manifests come last, each as the base64 of its JSON', () => {
  const properties = bundleDocument(partsOf({})).document['properties'] as { type: string; value: { data: string } }[];
  const carried = properties.slice(-2).map(({ type, value }) => [type, Buffer.from(value.data, 'base64').toString()]);
  expect(carried.map(([type]) => type)).toEqual(['olm.bundle.object', 'olm.bundle.object']);
  const kinds = carried.map(([, text]) => (JSON.parse(text ?? '') as JsonObject)['kind']);
  expect(new Set(kinds)).toEqual(new Set(['ClusterServiceVersion', 'CustomResourceDefinition']));
});

test('what is required, depended on and added by the author becomes properties, each once', () => {
  const spec = {
    customresourcedefinitions: {
      owned: [{ name: 'gauges.tide.example', version: 'v1', kind: 'Gauge' }],
      required: [{ name: 'moons.sky.example', version: 'v1', kind: 'Moon' }],
    },
    apiservicedefinitions: {
      owned: [{ name: 'waves', group: 'wave.example', version: 'v2', kind: 'Wave' }],
      required: [{ name: 'winds', group: 'wind.example', version: 'v2', kind: 'Wind' }],
    },
  };
  const moon = { group: 'sky.example', version: 'v1', kind: 'Moon' };
  const parts = partsOf(spec, {
    dependencies: [
      { type: 'olm.gvk', value: moon },
      { type: 'olm.package', value: { packageName: 'tide-core', version: '>=1.2.0 <2.0.0' } },
      { type: 'olm.label', value: { label: 'east-coast' } },
      { type: 'olm.constraint', value: { failureMessage: 'x', gvk: moon } },
    ],
    properties: [{ type: 'olm.maxOpenShiftVersion', value: '4.20' }],
    csvAnnotations: { 'olm.properties': '[{"type":"olm.maxOpenShiftVersion","value":"4.20"},{"type":"a","value":1}]' },
  });
  expect(propertiesIn(parts)).toEqual([
    { type: 'a', value: 1 },
    { type: 'olm.constraint', value: { failureMessage: 'x', gvk: moon } },
    ...ownApis,
    { type: 'olm.gvk', value: { group: 'wave.example', version: 'v2', kind: 'Wave' } },
    { type: 'olm.gvk.required', value: moon },
    { type: 'olm.gvk.required', value: { group: 'wind.example', version: 'v2', kind: 'Wind' } },
    { type: 'olm.label.required', value: { label: 'east-coast' } },
    { type: 'olm.maxOpenShiftVersion', value: '4.20' },
    ownPackage,
    { type: 'olm.package.required', value: { packageName: 'tide-core', versionRange: '>=1.2.0 <2.0.0' } },
  ]);
});

test('images of containers and init containers that the author did not name come after no name, sorted', () => {
  const containers = [{ image: 'r.example/b:v1' }, { image: 'r.example/a:v1' }];
  const template = { spec: { containers, initContainers: [{ image: 'r.example/init:v1' }] } };
  const spec = {
    relatedImages: [{ name: 'manager', image: 'r.example/a:v1' }],
    install: { spec: { deployments: [{ spec: { template } }] } },
  };
  expect(bundleDocument(partsOf(spec), 'r.example/z-bundle:v1').document['relatedImages']).toEqual([
    { name: 'manager', image: 'r.example/a:v1' },
    { name: '', image: 'r.example/b:v1' },
    { name: '', image: 'r.example/init:v1' },
    { name: '', image: 'r.example/z-bundle:v1' },
  ]);
});

const owned = (name: string): JsonObject => ({
  customresourcedefinitions: { owned: [{ name, version: 'v1', kind: 'Wave' }] },
});

test.each<[string, BundleParts, string]>([
  ['no objects', partsOf({}, { objects: [] }), 'no bundle objects found'],
  ['no ClusterServiceVersion', partsOf({}, { objects: [crd] }), 'no csv in bundle'],
  ['no annotations', partsOf({}, { annotations: undefined }), 'Could not find annotations file'],
  ['no package', partsOf({}, { annotations: {} }), 'package name is empty: metadata/annotations.yaml has no text'],
  ['an owned CRD without a group', partsOf(owned('waves')), "couldn't parse plural.group from crd name: waves"],
  [
    'an owned CRD that it does not bring',
    partsOf(owned('waves.wave.example')),
    "error checking provided apis in bundle tide-gauge.v0.4.0: couldn't find wave.example/v1/Wave (waves) in bundle. " +
      'found: map[tide.example/v1/Gauge (gauges):{} tide.example/v1alpha1/Gauge (gauges):{}]',
  ],
  [
    'a dependency without type',
    partsOf({}, { dependencies: [{ value: {} }] }),
    'metadata/dependencies.yaml: dependencies[0]: type must be set',
  ],
  [
    'properties that are no list',
    partsOf({}, { properties: {} }),
    'metadata/properties.yaml: properties: expected a list',
  ],
  [
    'an annotation with properties that is no JSON',
    partsOf({}, { csvAnnotations: { 'olm.properties': '[' } }),
    'annotation "olm.properties" of the ClusterServiceVersion: ',
  ],
])('a bundle with %s is refused', (_name, parts, text) => {
  expect(() => bundleDocument(parts)).toThrow(text);
});

test('a dependency that nothing can meet is reported', () => {
  const dependencies = [{ type: 'olm.package', value: { packageName: 'a', version: '~1.0' } }];
  expect(bundleDocument(partsOf({}, { dependencies })).warnings).toEqual([
    expect.stringMatching(/^metadata\/dependencies\.yaml: dependencies\[0\]: /),
  ]);
});

test('CR-C10 migrating twice changes nothing more; without image or ClusterServiceVersion nothing is migrated', async () => {
  const { document } = bundleDocument(partsOf({ displayName: 'Tide gauge' }), 'registry.example/tide:v1');
  expect(await migrateDocument(document, 'none')).toBe(document);
  const once = await migrateDocument(document, 'bundle-object-to-csv-metadata');
  expect((once['properties'] as JsonObject[]).map(({ type }) => type)).toEqual([
    'olm.gvk',
    'olm.gvk',
    'olm.package',
    'olm.csv.metadata',
  ]);
  expect((once['properties'] as JsonObject[]).at(-1)).toEqual({
    type: 'olm.csv.metadata',
    value: { apiServiceDefinitions: {}, crdDescriptions: {}, displayName: 'Tide gauge', provider: {} },
  });
  expect(await migrateDocument(once, 'all')).toBe(once);
  const { image: _image, ...local } = document;
  expect(await migrateDocument(local, 'all')).toBe(local);
  const withoutCsv = { ...document, properties: [ownPackage] };
  expect(await migrateDocument(withoutCsv, 'all')).toBe(withoutCsv);
});

test('a level of migration that is not known is refused by its name', () => {
  expect(() => readMigrateLevel('some')).toThrow('unknown migration level "some"');
});
