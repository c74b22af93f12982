import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCatalogIndex, type CatalogIndex, openCatalogIndex, readCatalogFolder } from '../src/catalog/index.ts';
import { answerNamespace, type NamespaceAnswer } from '../src/olm/subscription/answer.ts';
import { corpusCatalogDir } from '../test/support/corpus.ts';
import { type Measurement, median } from './table.ts';

const subscribed = 20;
const rounds = 5;
const identity = { name: 'shop', namespace: 'olm' };

function answerFor(index: CatalogIndex, names: readonly string[]): NamespaceAnswer['resolution'] {
  const requested = names.map((name) => ({ name, packageName: name, catalog: identity }));
  const resolution = { excludesOtherNamespaces: false, unavailable: [], requested, installed: [] };
  return answerNamespace({ namespace: 'operators', installed: [], resolution }, [index]).resolution;
}

/** The first packages that can be installed together. */
function selectable(index: CatalogIndex): readonly string[] {
  const names: string[] = [];
  for (const name of index.packageNames()) {
    if (names.length < subscribed && answerFor(index, [...names, name])?.outcome === 'selected') names.push(name);
  }
  return names;
}

/** A namespace with 20 new Subscriptions, from a catalog of the corpus that is opened for each answer. */
export async function measureNamespaceResolution(): Promise<Measurement[]> {
  const what = 'a namespace with 20 Subscriptions resolved';
  if (corpusCatalogDir === undefined) return [{ what, value: 'not measured: the corpus is not there' }];
  const dir = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  try {
    const file = join(dir, 'catalog.index');
    await buildCatalogIndex(readCatalogFolder(corpusCatalogDir), file);
    const open = (): CatalogIndex => openCatalogIndex(file, identity);
    const { names, packages } = namesIn(open);
    const times = Array.from({ length: rounds }, () => {
      const startedMs = performance.now();
      using index = open();
      answerFor(index, names);
      return performance.now() - startedMs;
    });
    const value = `${median(times).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms (${names.length} of ${packages} packages)`;
    return [{ what, value, goal: 'under 0.5 s' }];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function namesIn(open: () => CatalogIndex): { readonly names: readonly string[]; readonly packages: number } {
  using index = open();
  return { names: selectable(index), packages: index.packageNames().length };
}
