/** Writes `docs/olm-conformance.md` from the scenarios of test/olm. */
import { writeFile } from 'node:fs/promises';
import { conformanceDocument } from '../test/olm/document.ts';

await writeFile(new URL('../docs/olm-conformance.md', import.meta.url), await conformanceDocument());
