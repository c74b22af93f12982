import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type JsonObject, textAt } from '../base/index.ts';
import { describePackage } from './describe-package.ts';
import type { Meta } from './meta.ts';
import { buildCatalogIndex } from './store/build-index.ts';
import { openCatalogIndex } from './store/catalog-index.ts';

function meta(value: JsonObject): Meta {
  const [schema, name] = [textAt(value, 'schema'), textAt(value, 'name')];
  return { schema, package: textAt(value, 'package'), name, value, place: { file: 'c.yaml', line: 1 } };
}

test('of a package whose heads are very large the channels are shown that can be read in a short time', {
  tags: 'long',
}, async () => {
  const channels = ['a', 'b', 'c', 'd'];
  const description = 'x'.repeat(12 * 1024 * 1024);
  const metas = channels.flatMap((name, index) => {
    const version = `${index}.0.0`;
    const head = `p.v${version}`;
    const properties = [
      { type: 'olm.package', value: { packageName: 'p', version } },
      { type: 'olm.csv.metadata', value: { description: name === 'd' ? 'short' : description } },
    ];
    return [
      meta({ schema: 'olm.channel', package: 'p', name, entries: [{ name: head }] }),
      meta({ schema: 'olm.bundle', package: 'p', name: head, image: 'registry.example/p', properties }),
    ];
  });
  const folder = await mkdtemp(join(tmpdir(), 'describe-package-'));
  try {
    const file = join(folder, 'index');
    await buildCatalogIndex([meta({ schema: 'olm.package', name: 'p', defaultChannel: 'a' }), ...metas], file);
    using index = openCatalogIndex(file);
    expect(describePackage(index, 'p')?.channels.map(({ name }) => name)).toEqual(['a', 'b', 'd']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
