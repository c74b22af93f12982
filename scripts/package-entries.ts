/** The entry of `longshore/apiserver`. It loads the rest only when Node.js is new enough: an older one fails to link it, with an error that says nothing
 *  of the cause. `import` and `require` lead to the same module. */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const check = `'use strict';
if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(\`longshore/apiserver: Node.js 24 or newer is needed, this is \${process.version}\`);
}
`;

/** Writes them into the compiled `apiserver` folder. */
export async function writePackageEntries(folder: string): Promise<void> {
  const names = Object.keys((await import(pathToFileURL(`${folder}/index.js`).href)) as object).toSorted();
  writeFileSync(`${folder}/node-version.cjs`, check);
  writeFileSync(
    `${folder}/entry.js`,
    `import './node-version.cjs';\nconst loaded = await import('./index.js');\nexport const { ${names.join(', ')} } = loaded;\n`,
  );
  writeFileSync(`${folder}/entry.cjs`, `require('./node-version.cjs');\nmodule.exports = require('./index.js');\n`);
}
