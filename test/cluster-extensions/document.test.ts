import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { conformanceDocument } from './document.ts';

test('docs/cluster-extension-conformance.md is generated from the scenarios', async () => {
  const written = await readFile(new URL('../../docs/cluster-extension-conformance.md', import.meta.url), 'utf8');
  expect(written, 'npm run generate writes it').toBe(await conformanceDocument());
});
