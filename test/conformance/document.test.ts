import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { oracleVersion } from '../control-plane/index.ts';
import { conformanceDocument } from './document.ts';
import { areaFiles, loadArea } from './runner.ts';

test('docs/api-conformance.md is generated from the cases', async () => {
  const areas = await Promise.all((await areaFiles()).map((file) => loadArea(file)));
  const written = await readFile(new URL('../../docs/api-conformance.md', import.meta.url), 'utf8');
  expect(written, 'npm run generate writes it').toBe(conformanceDocument(areas, oracleVersion));
});
