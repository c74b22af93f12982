import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { rowsDocument } from './document.ts';
import { readResults } from './results.ts';
import { idsOfTitle, namedIds } from './row-ids.ts';
import { readAreas } from './table.ts';

const areas = await readAreas();
const rows = areas.flatMap((area) => area.rows);
const results = await readResults();

test('ids are read from the start of a name alone', () => {
  expect(idsOfTitle('B2, B6 an image is unpacked')).toEqual(['B2', 'B6']);
  expect(idsOfTitle('what B2 promises')).toEqual([]);
  expect(idsOfTitle('B2nd')).toEqual([]);
});

test('every id in the name of a test is that of one row', async () => {
  const ids = rows.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const named = [...new Set((await namedIds()).map(({ id }) => id))];
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((id) => !ids.includes(id))).toEqual([]);
});

test('docs/conformance.md says what the tests of the rows showed', async () => {
  const written = await readFile('docs/conformance.md', 'utf8');
  expect(written, 'npm run generate writes it').toBe(rowsDocument(areas, results));
});
