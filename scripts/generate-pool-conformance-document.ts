/** Writes docs/pool-conformance.md. Run with `npm run generate`. */
import { writeFile } from 'node:fs/promises';
import { formatPoolDocument } from '../test/machines/pools/document.ts';

await writeFile('docs/pool-conformance.md', formatPoolDocument());
