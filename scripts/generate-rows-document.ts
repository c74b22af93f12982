/** Writes `docs/conformance.md` from the rows and what their tests showed when they were last run for the record. */
import { writeFile } from 'node:fs/promises';
import { rowsDocument } from '../test/rows/document.ts';
import { readResults } from '../test/rows/results.ts';
import { readAreas } from '../test/rows/table.ts';

await writeFile(
  new URL('../docs/conformance.md', import.meta.url),
  rowsDocument(await readAreas(), await readResults()),
);
