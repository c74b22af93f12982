import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { writeLeafImports } from './leaf-imports.ts';

const files: Readonly<Record<string, string>> = {
  'shape/index.js':
    "/** Shapes. */\nexport { area, side as edge, } from './square.js';\nexport { deep } from './inner/index.js';\n",
  'shape/square.js': 'export const side = 2;\nexport const area = side * side;\n',
  'shape/inner/index.js': "export { deep } from './deep.js';\n",
  'shape/inner/deep.js': 'export const deep = 1;\n',
  'busy/index.js': 'export const busy = 3;\n',
  'main.js':
    "import { busy } from './busy/index.js';\nimport { area as size, deep, edge } from './shape/index.js';\nexport const sum = busy + size + deep + edge;\n",
};

test('exports of an index are imported from where they are defined; an index with its own code stays', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'leaf-imports-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(root, name)), { recursive: true });
      await writeFile(path.join(root, name), text);
    }
    await writeFile(path.join(root, 'package.json'), '{ "type": "module" }');
    writeLeafImports(root);
    const main = path.join(root, 'main.js');
    expect((await readFile(main, 'utf8')).split('\n').slice(0, 3)).toEqual([
      "import { busy } from './busy/index.js';",
      "import { area as size, side as edge } from './shape/square.js';",
      "import { deep } from './shape/inner/deep.js';",
    ]);
    expect(await import(pathToFileURL(main).href)).toMatchObject({ sum: 10 });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
