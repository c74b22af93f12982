/** Writes `docs/conformance.md` and `docs/machine-rows.md` from the rows and what their tests showed when they were last run for the record, and
 *  `docs/operator-conformance.md` and `docs/catalog-conformance.md` from their rows and the tests that have their ids. */
import { writeFile } from 'node:fs/promises';
import { machineRowsDocument, rowsDocument } from '../test/rows/document.ts';
import { catalogRowsDocument, operatorRowsDocument } from '../test/rows/operator-document.ts';
import { readResults } from '../test/rows/results.ts';
import { namedIds } from '../test/rows/row-ids.ts';
import { readAreas } from '../test/rows/table.ts';

const docs = new URL('../docs/', import.meta.url);
const results = await readResults();
await writeFile(new URL('conformance.md', docs), rowsDocument(await readAreas('rows.yaml'), results));
await writeFile(new URL('machine-rows.md', docs), machineRowsDocument(await readAreas('machine-rows.yaml'), results));
await writeFile(
  new URL('operator-conformance.md', docs),
  operatorRowsDocument(await readAreas('operator-rows.yaml'), await namedIds()),
);
await writeFile(
  new URL('catalog-conformance.md', docs),
  catalogRowsDocument(await readAreas('catalog-rows.yaml'), await namedIds()),
);
