import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCatalogIndex, readCatalogFolder } from '../src/catalog/index.ts';
import { corpusCatalogDir } from '../test/support/corpus.ts';
import { startChild } from './child.ts';
import { compileFiles } from './compiled.ts';
import { writeGrownCatalog } from './grown-catalog.ts';
import { type Measurement, median } from './table.ts';

interface ResolutionFacts {
  readonly packages: number;
  readonly subscribed: number;
  readonly firstMs: readonly number[];
  readonly nextMs: readonly number[];
}

const program = 'bench/olm-resolution-child.ts';

interface Catalog {
  readonly name: string;
  readonly folder: string;
  /** Where its index goes. */
  readonly file: string;
}

async function measureCatalog({ name, folder, file }: Catalog, programPath: string): Promise<Measurement[]> {
  await buildCatalogIndex(readCatalogFolder(folder), file);
  await using child = startChild(programPath, [file]);
  const { packages, subscribed, firstMs, nextMs } = await child.next<ResolutionFacts>();
  const what = `a namespace with ${subscribed} Subscriptions resolved, ${name} of ${packages} packages`;
  const show = (times: readonly number[]): string =>
    `${median(times).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms`;
  return [
    { what: `${what}: start of the thread included`, value: show(firstMs), goal: 'under 0.5 s' },
    { what: `${what}: again`, value: show(nextMs) },
  ];
}

/** A namespace with 20 new Subscriptions, from the catalog of the corpus and from a generated one of 333 packages. */
export async function measureNamespaceResolution(): Promise<Measurement[]> {
  if (corpusCatalogDir === undefined)
    return [{ what: 'a namespace with 20 Subscriptions resolved', value: 'not measured: the corpus is not there' }];
  const dir = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  try {
    await using compiled = await compileFiles([program]);
    const grown = join(dir, 'grown');
    await mkdir(grown);
    await writeGrownCatalog(join(grown, 'catalog.json'));
    const catalogs = [
      { name: 'the catalog of the corpus', folder: corpusCatalogDir, file: join(dir, 'corpus.index') },
      { name: 'a generated one', folder: grown, file: join(dir, 'grown.index') },
    ];
    const measured: Measurement[] = [];
    for (const catalog of catalogs) measured.push(...(await measureCatalog(catalog, compiled.pathOf(program))));
    return measured;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
