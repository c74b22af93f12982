import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseYaml,
  parseYamlDocuments,
  sha256Digest,
} from '../../../src/base/index.ts';
import type { Schema } from '../../../src/schema/index.ts';
import { corpusBundlesDir, corpusOlmDir } from '../../../test/support/index.ts';
import type { KubeObject, ResourceType } from '../../core/index.ts';
import { UnreadableObject } from '../../schema/index.ts';
import { resourceTypesOfCrd } from './custom-types.ts';

const hasPublished = existsSync(corpusOlmDir);
const plurals = [
  'catalogsources',
  'clusterserviceversions',
  'installplans',
  'olmconfigs',
  'operatorconditions',
  'operatorgroups',
  'operators',
  'subscriptions',
];

function read(file: string): KubeObject {
  return parseYaml(file, readFileSync(file, 'utf8')) as unknown as KubeObject;
}

const ownCrd = (plural: string): KubeObject =>
  read(new URL(`../../../crds/olm/operators.coreos.com_${plural}.yaml`, import.meta.url).pathname);
const publishedCrd = (plural: string): KubeObject => read(`${corpusOlmDir}/0000_50_olm_00-${plural}.crd.yaml`);

interface Pair {
  readonly ours: ResourceType;
  readonly theirs: ResourceType;
}

/** Each served version, ours beside the published one. */
function pairsOf(plural: string): Pair[] {
  const theirs = resourceTypesOfCrd(publishedCrd(plural));
  return resourceTypesOfCrd(ownCrd(plural)).map((ours) => {
    const other = theirs.find(({ version }) => version === ours.version);
    if (other === undefined) throw new Error(`${plural}: ${ours.version} is not published`);
    return { ours, theirs: other };
  });
}

/** What a CREATE makes of an object: unknown fields, the pruned object with defaults, every error. */
function answer({ strategy }: ResourceType, given: JsonObject): JsonObject {
  const object = structuredClone(given) as unknown as KubeObject;
  try {
    const unknown = strategy.decode?.(object) ?? [];
    strategy.applyDefaults(object);
    const errors = strategy.validate(object, undefined, undefined);
    return { unknown: [...unknown], object: object as unknown as JsonValue, errors: errors as unknown as JsonValue };
  } catch (thrown) {
    if (!(thrown instanceof UnreadableObject)) throw thrown;
    return { unreadable: thrown.message };
  }
}

/** A sequence of numbers from 0 up to a limit that is the same in every run. */
function numbers(seed: string): (limit: number) => number {
  let count = 0;
  return (limit) => Number.parseInt(sha256Digest(Buffer.from(`${seed} ${count++}`)).slice(-12), 16) % limit;
}

interface Place {
  readonly parent: Record<string, JsonValue>;
  readonly key: string;
}

/** Every member and item below a value. */
function placesOf(value: JsonValue): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Record<string, JsonValue>;
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...placesOf(parent[key] ?? null)]);
}

const wrongValues: readonly JsonValue[] = [
  null,
  '',
  'not-in-any-enum',
  'x'.repeat(400),
  '01.02',
  '2026-13-01',
  -1,
  1.5,
  70_000,
  2 ** 40,
  true,
  [],
  ['a', 'a'],
  [null],
  {},
  { unknown: { field: 1 } },
];

/** Changes one to three places of an object: other types, values out of range, missing and unknown fields. */
function mutate(given: JsonObject, next: (limit: number) => number): JsonObject {
  const object = structuredClone(given);
  for (let left = next(3); left >= 0; left -= 1) {
    const places = placesOf({ spec: object['spec'] ?? {}, status: object['status'] ?? {} });
    const place = places[next(places.length)];
    if (place === undefined) continue;
    const kind = next(4);
    if (kind === 0 && !Array.isArray(place.parent)) delete place.parent[place.key];
    else if (kind === 1) addUnknown(place);
    else place.parent[place.key] = structuredClone(wrongValues[next(wrongValues.length)] ?? null);
  }
  return object;
}

function addUnknown({ parent, key }: Place): void {
  const value = parent[key];
  if (isJsonObject(value)) value['unknownField'] = 'x';
  else if (!Array.isArray(parent)) parent['unknownField'] = 1;
}

function textFor({ enum: choices, format, pattern = '' }: Schema): JsonValue {
  if (choices !== undefined) return choices[0] ?? null;
  if (format === 'date-time') return '2026-01-02T03:04:05Z';
  if (format === 'byte') return 'eA==';
  if (pattern.includes('(s|m|h)')) return '10m';
  return 'Text';
}

/** A value that has every field of a schema. */
function exampleOf(schema: Schema): JsonValue {
  if (schema['x-kubernetes-int-or-string'] === true) return '1';
  if (schema.type === 'array') return [exampleOf(schema.items ?? {})];
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  if (schema.type === 'boolean') return true;
  if (schema.type !== 'object') return textFor(schema);
  if (typeof schema.additionalProperties === 'object') return { key: exampleOf(schema.additionalProperties) };
  const entries = Object.entries(schema.properties ?? {}).map(([name, child]) => [name, exampleOf(child)]);
  return Object.fromEntries(entries) as JsonObject;
}

function completeExample({ kind, group, version }: ResourceType, crd: KubeObject): JsonObject {
  const { versions } = crd['spec'] as unknown as {
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
  const schema = versions.find(({ name }) => name === version)?.schema.openAPIV3Schema ?? {};
  const example = exampleOf(schema) as JsonObject;
  return { ...example, apiVersion: `${group}/${version}`, kind, metadata: { name: 'example', namespace: 'default' } };
}

const isRefused = (result: JsonObject): boolean =>
  'unreadable' in result || (Array.isArray(result['errors']) && result['errors'].length > 0);

test.each(plurals)('%s: names, columns and versions are the published ones', { skip: !hasPublished }, (plural) => {
  const facts = (crd: KubeObject): unknown => {
    const { names, scope, versions } = crd['spec'] as unknown as {
      names: { shortNames?: string[] };
      scope: string;
      versions: (JsonObject & { additionalPrinterColumns?: JsonObject[] })[];
    };
    const columns = (version: { additionalPrinterColumns?: JsonObject[] }): unknown =>
      version.additionalPrinterColumns?.map(({ description: _description, ...column }) => column);
    const short = names.shortNames?.filter((name) => name !== 'org');
    return [
      { ...names, shortNames: short },
      scope,
      versions.map(({ schema: _schema, ...version }) => ({ ...version, additionalPrinterColumns: columns(version) })),
    ];
  };
  expect(facts(ownCrd(plural))).toEqual(facts(publishedCrd(plural)));
});

test.each(plurals)(
  '%s: mutated examples with every field get the results of the published definition',
  { skip: !hasPublished, tags: 'long' },
  (plural) => {
    const next = numbers(plural);
    for (const { ours, theirs } of pairsOf(plural)) {
      const example = completeExample(ours, ownCrd(plural));
      const results = [];
      for (let count = 0; count < 200; count += 1) {
        const object = count === 0 ? example : mutate(example, next);
        const result = answer(ours, object);
        expect(result, JSON.stringify(object).slice(0, 2000)).toEqual(answer(theirs, object));
        results.push(isRefused(result));
      }
      expect(results[0], 'the example itself is accepted').toBe(false);
      expect(results.includes(true) || plural === 'operators').toBe(true);
    }
  },
);

test('every ClusterServiceVersion of the corpus, and 500 mutated ones', { skip: !hasPublished, tags: 'long' }, () => {
  const [pair] = pairsOf('clusterserviceversions');
  if (pair === undefined) throw new Error('no version served');
  const files = globSync(`${corpusBundlesDir}/**/manifests/*.{yaml,yml,json}`).toSorted();
  const documents = files.flatMap((file) => parseYamlDocuments(file, readFileSync(file, 'utf8')));
  const csvs = documents.filter((one) => isJsonObject(one)).filter(({ kind }) => kind === pair.ours.kind);
  expect(csvs.length).toBeGreaterThan(30);
  for (const csv of csvs) expect(answer(pair.ours, csv)).toEqual(answer(pair.theirs, csv));
  const next = numbers('clusterserviceversions of the corpus');
  let refused = 0;
  for (let count = 0; count < 500; count += 1) {
    const object = mutate(csvs[count % csvs.length] ?? {}, next);
    const result = answer(pair.ours, object);
    expect(result).toEqual(answer(pair.theirs, object));
    if (isRefused(result)) refused += 1;
  }
  expect(refused).toBeGreaterThan(100);
  expect(refused).toBeLessThan(500);
});

test('every file below crds/ is a definition that the API server accepts: the folder may be given as a whole', () => {
  const files = globSync(new URL('../../../crds/**/*.yaml', import.meta.url).pathname);
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) expect(resourceTypesOfCrd(read(file)).length, file).toBeGreaterThan(0);
});
