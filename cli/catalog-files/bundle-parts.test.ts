import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type JsonObject, parseYamlDocuments, textAt } from '../../src/base/index.ts';
import { readBundleForChecks } from '../../src/bundle-checks/index.ts';
import { type BundleDocument, bundleDocument, migrateDocument } from '../../src/catalog/index.ts';
import { testBundle, tideFiles } from '../../test/support/checked-bundle.ts';
import { corpusBundle, corpusCatalogFile, expectedRenderings, hasCorpus } from '../../test/support/index.ts';
import { bundleParts } from './bundle-parts.ts';

test('manifests that are no objects are reported and left out, hidden files are skipped', () => {
  const bundle = testBundle({
    ...tideFiles,
    'manifests/.hidden.yaml': 'a: [',
    'manifests/notes.txt': 'hello',
    'manifests/broken.yaml': 'kind: A\n b: c\n',
  });
  const { parts, warnings } = bundleParts(bundle);
  expect(parts.objects.map(({ kind }) => kind)).toEqual(['ClusterServiceVersion', 'CustomResourceDefinition']);
  expect(warnings).toEqual([
    expect.stringMatching(/^manifests\/broken\.yaml:2: .*: the file is left out$/),
    'manifests/notes.txt: no Kubernetes object: the file is left out',
  ]);
});

test('a chart, and a manifest that is too large, are refused', () => {
  const chart = testBundle({ 'manifests/Chart.yaml': 'name: tide\n' });
  expect(() => bundleParts(chart)).toThrow('no bundle objects found: it is a chart');
  const large = testBundle(tideFiles, [{ path: 'manifests/a.yaml', kind: 'too large', sizeBytes: 1e9 }]);
  expect(() => bundleParts(large)).toThrow('manifests/a.yaml: too large to be read');
});

function renderedCorpusBundle(name: string, image: string): BundleDocument {
  const { manifests = [], metadata } = corpusBundle(name);
  const pathed = (folder: string, entries: typeof metadata): { path: string; content: Buffer }[] =>
    entries.flatMap((entry) =>
      entry.kind === 'file' ? [{ path: `${folder}/${entry.name}`, content: entry.content }] : [],
    );
  const files = [...pathed('manifests', manifests), ...pathed('metadata', metadata)];
  const bundle = readBundleForChecks({ name, files, otherEntries: [] });
  return bundleDocument(bundleParts(bundle).parts, image);
}

/** `package/version` of bundles that are in the catalog, too, with the document that was published. */
function publishedBundles(): readonly [string, JsonObject][] {
  return expectedRenderings().flatMap(({ bundle }): [string, JsonObject][] => {
    const [packageName = '', version = ''] = bundle.replace('@', '/').split('/');
    const file = corpusCatalogFile(packageName);
    if (file === undefined) return [];
    const documents = parseYamlDocuments(file, readFileSync(file, 'utf8')) as JsonObject[];
    const name = `${packageName}.v${version}`;
    const found = documents.find((one) => one['schema'] === 'olm.bundle' && one['name'] === name);
    return found === undefined ? [] : [[bundle, found]];
  });
}

describe.skipIf(!hasCorpus)('real bundles (skipped without the corpus)', () => {
  const published = publishedBundles();

  test('some are in the real catalog, too', () => {
    expect(published.map(([name]) => name.split(/[/@]/)[0])).toEqual([
      'clusterpulse',
      'jumpstarter-operator',
      'odf-node-recovery-operator',
      'project-onboarding-operator',
    ]);
  });

  test.for(published)('%s, rendered and migrated, is the document that was published', async ([name, document]) => {
    const rendered = renderedCorpusBundle(name, textAt(document, 'image'));
    expect(rendered.warnings).toEqual([]);
    expect(await migrateDocument(rendered.document, 'all')).toEqual(document);
  });

  test('every bundle of the corpus can be rendered, and is smaller by far when it is migrated', async () => {
    let [before, after] = [0, 0];
    for (const { bundle } of expectedRenderings()) {
      const { document } = renderedCorpusBundle(bundle, 'registry.example/bundle:v1');
      before += JSON.stringify(document).length;
      const migrated = await migrateDocument(document, 'all');
      after += JSON.stringify(migrated).length;
    }
    expect(after / before).toBeLessThan(0.24);
  });
});
