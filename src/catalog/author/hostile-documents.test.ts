import { expect, test } from 'vitest';
import { mutateJson, type Random, randomOf } from '../../../test/faults/mutation.ts';
import { tideFiles } from '../../../test/support/checked-bundle.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseYamlDocuments, TerminalError } from '../../base/index.ts';
import { decodingFault } from '../check/decode.ts';
import { type BundleParts, bundleDocument } from './bundle-document.ts';
import { readComposite } from './composite.ts';
import { migrateDocument } from './migrate.ts';
import { readTemplate } from './templates.ts';

const objects = Object.entries(tideFiles).flatMap(([path, text]) =>
  path.startsWith('manifests/') ? (parseYamlDocuments(path, text) as JsonObject[]) : [],
);
const parts = {
  objects,
  annotations: { 'operators.operatorframework.io.bundle.package.v1': 'tide-gauge' },
  dependencies: [
    { type: 'olm.package', value: { packageName: 'a', version: '>=1.0.0' } },
    { type: 'olm.label', value: { label: 'x' } },
  ],
  properties: [{ type: 'a', value: [1] }],
};

/** Input is either accepted, or refused with an error of ours that has a message. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.message.trim() === '') throw thrown;
    return undefined;
  }
}

/** What a reader of files could hand over. */
function mutatedParts(random: Random): BundleParts {
  const mutated = mutateJson(parts as JsonValue, random);
  const given = isJsonObject(mutated) ? mutated : {};
  const list = Array.isArray(given['objects']) ? given['objects'] : [];
  return {
    objects: list.filter(isJsonObject),
    annotations: isJsonObject(given['annotations']) ? given['annotations'] : undefined,
    dependencies: given['dependencies'],
    properties: given['properties'],
  };
}

test('a bundle with anything in it becomes a document that can be decoded, or is refused in words', async () => {
  const random = randomOf(7);
  const outcomes = { made: 0, refused: 0 };
  for (let round = 0; round < 3000; round += 1) {
    const made = await attempt(() => bundleDocument(mutatedParts(random), 'registry.example/tide:v1'));
    if (made === undefined) outcomes.refused += 1;
    else {
      outcomes.made += 1;
      expect(decodingFault('olm.bundle', made.document)).toBeUndefined();
      const migrated = await attempt(() => migrateDocument(made.document, 'all'));
      if (migrated !== undefined) expect(await migrateDocument(migrated, 'all')).toBe(migrated);
    }
  }
  expect(Math.min(outcomes.made, outcomes.refused)).toBeGreaterThan(100);
});

const bundle = { schema: 'olm.bundle', image: 'a' };
const templates: readonly JsonObject[] = [
  { schema: 'olm.template.basic', entries: [{ schema: 'olm.package', name: 'p' }, bundle] },
  {
    schema: 'olm.semver',
    generateMajorChannels: true,
    defaultChannelTypePreference: 'major',
    stable: { bundles: [{ image: 'a' }, { image: 'b' }] },
  },
  {
    schema: 'olm.template.substitutes',
    entries: [
      { schema: 'olm.channel', package: 'tide-gauge', name: 'c', entries: [{ name: 'tide-gauge.v0.4.0' }] },
      bundle,
    ],
    substitutions: [{ name: 'b', base: 'tide-gauge.v0.4.0' }],
  },
];

test('a template with anything in it, of bundles with anything in them, is built or refused in words', async () => {
  const random = randomOf(11);
  const good = bundleDocument(parts, 'a').document;
  const newer = JSON.parse(JSON.stringify(good).replaceAll('0.4.0', '0.5.0')) as JsonObject;
  const bundleFor = (reference: string): JsonObject => {
    const mutated = random() < 0.5 ? mutateJson(reference === 'a' ? good : newer, random) : null;
    return isJsonObject(mutated) ? mutated : reference === 'a' ? good : newer;
  };
  let built = 0;
  for (let round = 0; round < 1500; round += 1) {
    const template = templates[round % templates.length] ?? {};
    const text = JSON.stringify(random() < 0.5 ? mutateJson(template, random) : template);
    const documents = await attempt(() => {
      const read = readTemplate(text);
      return read.build(new Map(read.references.map((reference) => [reference, [bundleFor(reference)]]))).documents;
    });
    if (documents === undefined) continue;
    built += 1;
    for (const document of documents) expect(typeof document['schema']).toBe('string');
  }
  expect(built).toBeGreaterThan(100);
});

test('a composite template with anything in it is read or refused in words', async () => {
  const random = randomOf(13);
  const component = {
    name: 'mine',
    destination: { path: 'tide' },
    strategy: { template: { schema: 'olm.builder.raw', config: { input: 'in', output: 'out' } } },
  };
  const composite = { schema: 'olm.composite', components: [component] };
  const catalogs = {
    schema: 'olm.composite.catalogs',
    catalogs: [{ name: 'mine', destination: { workingDir: 'dir' }, builders: ['olm.builder.raw'] }],
  };
  for (let round = 0; round < 1000; round += 1) {
    const [one, other] =
      round % 2 === 0 ? [mutateJson(composite, random), catalogs] : [composite, mutateJson(catalogs, random)];
    const components = await attempt(() => readComposite(JSON.stringify(one), JSON.stringify(other)));
    for (const { folder, output } of components ?? []) expect(`${folder}/${output}`).not.toContain('..');
  }
});
