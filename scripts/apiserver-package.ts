/** The package `@longshore/apiserver`, made from the compiled program: the folders that `apiserver/` may import, by the import table, and the packages
 *  that these declare. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { type FolderImports, readImportTable } from './import-table.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const name = '@longshore/apiserver';
/** The declarations name its types, so that a TypeScript project needs no package besides. */
const packageOfTypes = '@types/node';

/** Packages of the program that writes certificates: 130 files that take 40 ms longer to load than their one chunk. */
const bundled: ReadonlySet<string> = new Set(['@peculiar/x509', 'reflect-metadata']);
const inPackage = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

const nodeVersionCheck = `'use strict';
if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(\`${name}: Node.js 24 or newer is needed, this is \${process.version}\`);
}
`;

/** A folder and all that it may import, directly or not. */
export function importedFolders(folder: string, table: readonly FolderImports[] = readImportTable()): FolderImports[] {
  const found = new Set([folder]);
  for (const each of found) {
    for (const imported of table.find((row) => row.folder === each)?.imports ?? []) found.add(imported);
  }
  return table.filter((row) => found.has(row.folder));
}

function manifestOf(folders: readonly FolderImports[]): object {
  const root = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const versions = { ...root.devDependencies, ...root.dependencies };
  const needed = folders.flatMap((row) => row.packages).filter((each) => !bundled.has(each));
  const packages = [...new Set([packageOfTypes, ...needed])].toSorted();
  return {
    name,
    version: root.version,
    description: 'A Kubernetes API server that starts inside a test: no containers, no download, no etcd.',
    license: root.license,
    keywords: ['kubernetes', 'apiserver', 'envtest', 'testing', 'kubectl'],
    type: 'module',
    engines: { node: '>=24' },
    exports: {
      '.': {
        types: './dist/apiserver/index.d.ts',
        import: './dist/apiserver/entry.js',
        require: './dist/apiserver/entry.cjs',
      },
      './package.json': './package.json',
    },
    files: ['dist', 'THIRD-PARTY-LICENSES'],
    dependencies: Object.fromEntries(packages.map((each) => [each, versions[each]])),
  };
}

/** The entries load the rest only when Node.js is new enough: an older one fails to link it, with an error that does not name the cause.
 *  `import` and `require` lead to the same module. */
async function writeEntries(folder: string): Promise<void> {
  const names = Object.keys((await import(pathToFileURL(`${folder}/index.js`).href)) as object).toSorted();
  writeFileSync(`${folder}/node-version.cjs`, nodeVersionCheck);
  writeFileSync(
    `${folder}/entry.js`,
    `import './node-version.cjs';\nconst loaded = await import('./index.js');\nexport const { ${names.join(', ')} } = loaded;\n`,
  );
  writeFileSync(`${folder}/entry.cjs`, `require('./node-version.cjs');\nmodule.exports = require('./index.js');\n`);
}

/** What the licenses of bundled packages ask for: their texts and notices. */
function noticesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((file) => inPackage.exec(file)?.[1] ?? []));
  const texts = [...folders].toSorted().map((folder) => {
    const { name: packageName, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    const files = globSync('{LICENSE,CopyrightNotice}*', { cwd: folder }).toSorted();
    if (files.length === 0) throw new Error(`${folder}: expected a file LICENSE, found none`);
    const notices = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`${packageName} ${version}`, ...notices].join('\n\n');
  });
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** Our modules as one file, and one for each part that is loaded on demand: some 500 files take longer to load than to run. Packages stay outside, but
 *  for those that are bundled, with what they need. */
export async function bundleModules(dist: string, target: string): Promise<void> {
  const isInside = (id: string, importer = ''): boolean =>
    id.startsWith('.') || isAbsolute(id) || bundled.has(id) || inPackage.test(importer);
  await using bundle = await rolldown({
    input: { index: join(dist, 'apiserver/index.js') },
    platform: 'node',
    external: (id, importer) => isBuiltin(id) || !isInside(id, importer),
  });
  const { output } = await bundle.write({
    dir: join(target, 'dist/apiserver'),
    format: 'esm',
    chunkFileNames: '[name].js',
  });
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  writeFileSync(join(target, 'THIRD-PARTY-LICENSES'), noticesOf(modules));
}

/** Writes the package into the folder `target`, from what was compiled to `dist`. */
export async function writeApiServerPackage(dist: string, target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  const folders = importedFolders('apiserver');
  mkdirSync(target, { recursive: true });
  for (const file of folders.flatMap(({ folder }) => globSync(`${folder}/**/*.d.ts`, { cwd: dist }))) {
    cpSync(join(dist, file), join(target, 'dist', file));
  }
  await bundleModules(dist, target);
  cpSync('LICENSE', join(target, 'LICENSE'));
  cpSync('apiserver/README.md', join(target, 'README.md'));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifestOf(folders), undefined, 2)}\n`);
  await writeEntries(join(process.cwd(), target, 'dist/apiserver'));
}
