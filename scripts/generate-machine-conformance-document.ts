/** Writes `docs/machine-conformance.md` from the scenarios of test/machines. */
import { writeFile } from 'node:fs/promises';
import { conformanceDocument } from '../test/machines/document.ts';

await writeFile(new URL('../docs/machine-conformance.md', import.meta.url), await conformanceDocument());
