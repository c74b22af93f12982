import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { machineRowsDocument, rowsDocument } from './document.ts';
import { catalogRowsDocument, operatorRowsDocument } from './operator-document.ts';
import { readResults } from './results.ts';
import { hasList, idsOfTitle, isRecorded, type NamedId, namedIds } from './row-ids.ts';
import { readAreas } from './table.ts';

const areas = await readAreas('rows.yaml');
const operatorAreas = await readAreas('operator-rows.yaml');
const catalogAreas = await readAreas('catalog-rows.yaml');
const machineAreas = await readAreas('machine-rows.yaml');
const rows = areas.flatMap((area) => area.rows);
const allRows = [...areas, ...operatorAreas, ...catalogAreas, ...machineAreas].flatMap((area) => area.rows);
const results = await readResults();

/** Those that a record is kept of. */
async function recordedIds(): Promise<readonly NamedId[]> {
  return (await namedIds()).filter(({ id }) => isRecorded(id));
}

test('ids are read from the start of a name alone', () => {
  expect(idsOfTitle('B2, B6 an image is unpacked')).toEqual(['B2', 'B6']);
  expect(idsOfTitle('what B2 promises')).toEqual([]);
  expect(idsOfTitle('B2nd')).toEqual([]);
  expect(idsOfTitle('BF-A1, BF-C2: a bundle')).toEqual(['BF-A1', 'BF-C2']);
  expect(idsOfTitle('ML-06, MP-37: a machine')).toEqual(['ML-06', 'MP-37']);
  expect(idsOfTitle('RV-C1 to RV-C3, RV-T6')).toEqual(['RV-C1', 'RV-C2', 'RV-C3', 'RV-T6']);
});

test('every id in the name of a test is that of one row', async () => {
  const ids = allRows.flatMap(({ id }) => (hasList(id) ? idsOfTitle(id) : [id]));
  expect(new Set(ids).size).toBe(ids.length);
  const named = [...new Set((await namedIds()).map(({ id }) => id))];
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((id) => !ids.includes(id))).toEqual([]);
});

test('docs/conformance.md has the results of the tests of the rows', async () => {
  const written = await readFile('docs/conformance.md', 'utf8');
  expect(written, 'npm run generate writes it').toBe(rowsDocument(areas, results));
});

test('docs/machine-rows.md has the results of the tests of machines and pools', async () => {
  const written = await readFile('docs/machine-rows.md', 'utf8');
  expect(written, 'npm run generate writes it').toBe(machineRowsDocument(machineAreas, results));
});

test('docs/operator-conformance.md lists which tests show the rows of operators', async () => {
  const written = await readFile('docs/operator-conformance.md', 'utf8');
  expect(written, 'npm run generate writes it').toBe(operatorRowsDocument(operatorAreas, await namedIds()));
});

test('docs/catalog-conformance.md lists which tests show the rows of catalogs', async () => {
  const written = await readFile('docs/catalog-conformance.md', 'utf8');
  expect(written, 'npm run generate writes it').toBe(catalogRowsDocument(catalogAreas, await namedIds()));
});

test('every row has a test, or a reason why not', async () => {
  const named = new Set((await namedIds()).map(({ id }) => id));
  const isShown = (id: string): boolean => (hasList(id) ? idsOfTitle(id) : [id]).every((one) => named.has(one));
  const untold = allRows.filter(({ id, absent }) => !isShown(id) && absent === undefined && !id.startsWith('Q'));
  expect(untold.map(({ id }) => id)).toEqual([]);
  const denied = allRows.filter(({ id, absent }) => isShown(id) && absent !== undefined);
  expect(denied.map(({ id }) => id)).toEqual([]);
});

test('docs/differences.md has a line for each defect of the original, which leads to its tests if there are any', async () => {
  const text = await readFile('docs/differences.md', 'utf8');
  const lines = new Map([...text.matchAll(/^- \*\*(Q\d+)\.\*\* ((?:.|\n {2})+)/gm)].map(([, id, line]) => [id, line]));
  const named = new Set((await namedIds()).map(({ id }) => id));
  for (const { id } of rows.filter((row) => row.id.startsWith('Q'))) {
    expect(lines.get(id)?.includes(`(conformance.md#${id.toLowerCase()})`), id).toBe(named.has(id));
  }
});

test('the record has existing tests only, and every id of a test', async () => {
  const named = await recordedIds();
  const recorded = results.tests.flatMap(({ file, title }) => idsOfTitle(title).map((id) => ({ file, id })));
  const has = (list: typeof named, { file, id }: (typeof named)[number]): boolean =>
    list.some((one) => one.file === file && one.id === id);
  expect(recorded.filter((one) => !has(named, one))).toEqual([]);
  const fresh = named.filter(({ id }) => !recorded.some((one) => one.id === id));
  expect(fresh, 'npm run generate:conformance runs them').toEqual([]);
});

test('no recorded test of a row has failed', () => {
  const failed = results.tests.filter(({ embedded, kube }) => [embedded, kube].some((result) => result === 'failed'));
  expect(failed).toEqual([]);
});
