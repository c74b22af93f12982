/** Part of `npm run build`: turns the CustomResourceDefinitions in a folder, and in those below, into JSON, which takes a fiftieth of the time to parse and
 *  a third of the room in the package. */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '../src/base/index.ts';

const [root = '.'] = process.argv.slice(2);
for (const name of globSync('**/*.yaml', { cwd: root })) {
  const file = join(root, name);
  writeFileSync(file.replace(/\.yaml$/, '.json'), JSON.stringify(parseYaml(file, readFileSync(file, 'utf8'))));
  rmSync(file);
}
for (const name of globSync('**/Kustomization', { cwd: root })) rmSync(join(root, name));
