/** Writes `docs/cluster-extension-conformance.md` from the scenarios of test/cluster-extensions. */
import { writeFile } from 'node:fs/promises';
import { conformanceDocument } from '../test/cluster-extensions/document.ts';

await writeFile(new URL('../docs/cluster-extension-conformance.md', import.meta.url), await conformanceDocument());
