/** Writes crds/olm/ from scripts/olm-crds/. Run by `npm run generate`. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { formatYaml } from '../src/base/index.ts';
import { readOlmCrds } from './read-olm-crds.ts';

const outputDir = path.resolve(import.meta.dirname, '../crds/olm');

for (const { fileName, crd } of await readOlmCrds('schema')) {
  const note = `# Generated from scripts/olm-crds/${fileName} by scripts/generate-olm-crds.ts: do not edit.\n`;
  await writeFile(path.join(outputDir, `operators.coreos.com_${fileName}`), note + formatYaml(crd));
}
