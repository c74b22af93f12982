/** `npm run generate:registry`: writes `src/formats/registry-v1/generated/kubernetes-types.json` by running the Go program in
 *  `scripts/registry-types`, which looks at the Go types that the format's other renderers are made with. Needs Go. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const printed = execFileSync('go', ['run', '.'], { cwd: join(root, 'scripts/registry-types'), encoding: 'utf8' });
const types = JSON.parse(printed) as Record<string, Record<string, string>>;
const lines = Object.entries(types)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, members]) => `  ${JSON.stringify(name)}: ${JSON.stringify(members)}`);
const path = join(root, 'src/formats/registry-v1/generated/kubernetes-types.json');
writeFileSync(path, `{\n${lines.join(',\n')}\n}\n`);
