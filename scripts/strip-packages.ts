/** Removes from `node_modules/` what no program loads: types, source maps, documents, and the models of @kubernetes/client-node, of which the program loads
 *  the credential plug-ins only. Licenses stay. For the image, not for the package. */
import { globSync, rmSync, statSync } from 'node:fs';

const unused = 'node_modules/**/*.{ts,mts,cts,map,md,markdown,flow}';
const license = /(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$/i;
const models = 'node_modules/@kubernetes/client-node/dist/gen';

const files = globSync(unused).filter((path) => !license.test(path) && statSync(path).isFile());
for (const file of files) rmSync(file);
rmSync(models, { recursive: true, force: true });
console.log(`removed ${files.length} files of packages, and ${models}`);
