/** Writes `docs/cluster-version-conformance.md` from the scenarios of test/cluster-version. */
import { writeFile } from 'node:fs/promises';
import { conformanceDocument } from '../test/cluster-version/document.ts';

await writeFile(new URL('../docs/cluster-version-conformance.md', import.meta.url), await conformanceDocument());
