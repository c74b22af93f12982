/** Writes `docs/api-conformance.md` from the conformance cases. */
import { writeFile } from 'node:fs/promises';
import { conformanceDocument } from '../test/conformance/document.ts';
import { areaFiles, loadArea } from '../test/conformance/runner.ts';
import { oracleVersion } from '../test/control-plane/index.ts';

const areas = await Promise.all((await areaFiles()).map((file) => loadArea(file)));
await writeFile(new URL('../docs/api-conformance.md', import.meta.url), conformanceDocument(areas, oracleVersion));
