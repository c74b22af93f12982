import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../../src/base/index.ts';
import type { BundleFiles } from '../../src/formats/index.ts';

/** Real bundles, a real catalog and expected renderings: beside the project unless `LONGSHORE_CORPUS` has another place. */
const corpusDir: string = process.env['LONGSHORE_CORPUS'] ?? join(import.meta.dirname, '../../../shared/corpus');

/** Whether the corpus is there; tests of it are skipped where it is not. */
export const hasCorpus: boolean = existsSync(join(corpusDir, 'registry-v1/expected'));

/** The folder of a real catalog of 13 MB; undefined where it is not there. */
export const corpusCatalogDir: string | undefined = existsSync(join(corpusDir, 'catalogs/community-v4.18'))
  ? join(corpusDir, 'catalogs/community-v4.18')
  : undefined;

/** The CustomResourceDefinitions that Operator Lifecycle Manager publishes. */
export const corpusOlmDir: string = join(corpusDir, 'release/operator-framework-olm');

/** The release manifests of real components, a folder each. */
export const corpusReleaseDir: string = join(corpusDir, 'release');

/** The folder of real bundles of operators. */
export const corpusBundlesDir: string = join(corpusDir, 'registry-v1/bundles');

/** What the reference renderer makes of one bundle. */
export interface ExpectedRenderings {
  /** `package/version`. */
  readonly bundle: string;
  readonly installNamespace: string;
  readonly certProvider: string;
  readonly renderings: Readonly<Record<string, { readonly objects?: readonly JsonObject[]; readonly error?: string }>>;
}

/** Target namespaces of the modes of `expected/`. */
export const expectedModes: Readonly<Record<string, readonly string[]>> = {
  default: [],
  all: [''],
  own: ['install-ns'],
  single: ['watch-ns'],
  multi: ['watch-a', 'watch-b'],
};

/** All renderings of the corpus, sorted by bundle; empty where there is no corpus. */
export function expectedRenderings(): readonly ExpectedRenderings[] {
  if (!hasCorpus) return [];
  const dir = join(corpusDir, 'registry-v1/expected');
  return readdirSync(dir)
    .sort()
    .map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')) as ExpectedRenderings);
}

function entriesOf(dir: string): BundleFiles['metadata'] {
  return readdirSync(dir, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, parentPath }) => ({ kind: 'file', name, content: readFileSync(join(parentPath, name)) }));
}

/** Files of a bundle of the corpus. */
export function corpusBundle(bundle: string): BundleFiles {
  const dir = join(corpusDir, 'registry-v1/bundles', bundle);
  return { manifests: entriesOf(join(dir, 'manifests')), metadata: entriesOf(join(dir, 'metadata')) };
}

/** The catalog of one package of the corpus; undefined where it has none. */
export function corpusCatalogFile(packageName: string): string | undefined {
  const path = join(corpusDir, 'catalogs/community-v4.18', packageName, 'catalog.yaml');
  return existsSync(path) ? path : undefined;
}

/** The corpus' own rule for when two rendered objects are equal, in its strict form. */
export async function loadCanonical(): Promise<(object: JsonObject) => string> {
  const url = pathToFileURL(join(corpusDir, 'registry-v1/canonical.mjs')).href;
  const { canonical } = (await import(url)) as { canonical: (object: JsonObject, isLenient: boolean) => string };
  return (object) => canonical(object, false);
}
