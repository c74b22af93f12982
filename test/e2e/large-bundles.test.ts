/** @module-tag long */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { largeManifests, memoryRatio, writeBundle } from '../support/index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-large-'));
  await writeBundle(join(folder, 'small'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** How many times its size a file may take; `npm run bench -- large` measures what it takes. */
const limits: Readonly<Record<string, number>> = {
  '20,000 documents': 5,
  'a list in JSON': 5,
  'one definition': 7.5,
  'one long text': 7,
};

test.each(Object.entries(largeManifests))(
  '20 MiB of %s are rendered within a small multiple of their size',
  async (name, manifest) => {
    const large = await writeBundle(join(folder, 'large'), manifest());
    const ratio = await memoryRatio('render', join(folder, 'small'), large);
    expect(ratio).toBeLessThan(limits[name] ?? 0);
  },
  120_000,
);
