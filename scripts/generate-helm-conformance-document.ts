/** Writes `docs/helm-conformance.md` from test/helm/seen.json. */
import { writeFile } from 'node:fs/promises';
import { helmConformanceDocument } from '../test/helm/document.ts';

await writeFile(new URL('../docs/helm-conformance.md', import.meta.url), await helmConformanceDocument());
