import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Visitor } from '@swc/core/Visitor.js';
import { cruise, type ICruiseResult, type IDependency, type IModule } from 'dependency-cruiser';
import { beforeAll, expect, test } from 'vitest';
import { doorsOf, importTableDocument, productRoots, readImportTable } from '../../scripts/import-table.ts';

const table = readImportTable();
const folders = table.map(({ folder }) => folder).sort((a, b) => b.length - a.length);
const roots = productRoots();
let modules: readonly IModule[] = [];

interface Import {
  readonly from: string;
  readonly dependency: IDependency;
}

/** The innermost folder with a door of its own. */
function folderOf(path: string): string | undefined {
  return folders.find((folder) => path.startsWith(`${folder}/`));
}

function isTest(path: string): boolean {
  return path.startsWith('test/') || path.endsWith('.test.ts');
}

function packageOf(dependency: IDependency): string | undefined {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(dependency.resolved)?.[1];
}

/** Every import of product code, as (from, dependency). */
function productImports(): Import[] {
  return modules
    .filter((module) => roots.some((root) => module.source.startsWith(`${root}/`)) && !isTest(module.source))
    .flatMap((module) => module.dependencies.map((dependency) => ({ from: module.source, dependency })));
}

/** Imports of one folder by another, by importing folder. */
function importsBetweenFolders(): (Import & { readonly source: string; readonly target: string })[] {
  return productImports().flatMap((found) => {
    const source = folderOf(found.from);
    const target = folderOf(found.dependency.resolved);
    return source === undefined || target === undefined || source === target ? [] : [{ ...found, source, target }];
  });
}

function describeImports(imports: readonly Import[]): string[] {
  return imports.map(({ from, dependency }) => `${from} → ${dependency.resolved}`);
}

/** The reader of @swc/core does not know `using` declarations, though its parser does: show it what they declare. */
function teachUsingDeclarations(): void {
  const prototype = Visitor.prototype as unknown as {
    visitStatement(statement: { type: string; decls?: unknown }): unknown;
    visitVariableDeclarators(declarators: unknown): unknown;
  };
  const visitStatement = Reflect.get(prototype, 'visitStatement') as (statement: unknown) => unknown;
  prototype.visitStatement = function visit(statement) {
    if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
    this.visitVariableDeclarators(statement.decls);
    return statement;
  };
}

function listFiles(): string[] {
  const patterns = roots.flatMap((root) => [`${root}/*.ts`, `${root}/**/*.ts`]);
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns]).toString();
  return [...new Set(listed.trim().split('\n'))].filter((file) => existsSync(file) && !file.endsWith('.d.ts'));
}

beforeAll(async () => {
  teachUsingDeclarations();
  const result = await cruise(roots, {
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
    doNotFollow: { path: 'node_modules' },
    ruleSet: { forbidden: [{ name: 'cycle', severity: 'error', from: {}, to: { circular: true } }] },
    validate: true,
  });
  modules = (result.output as ICruiseResult).modules;
});

test('the reader saw every module', () => {
  const files = listFiles();
  const read = new Set(modules.map((module) => module.source));
  expect(files.filter((file) => !read.has(file))).toEqual([]);
  expect(files.length).toBeGreaterThan(20);
});

test('every folder declares its imports in its door, and so do all layers of a folder that has layers', () => {
  const undeclared = listFiles().filter((file) => folderOf(file) === undefined);
  expect(undeclared).toEqual([]);
  for (const root of roots.filter((name) => folders.some((folder) => folder.startsWith(`${name}/`)))) {
    const inside = new Set(listFiles().flatMap((file) => new RegExp(`^${root}/[^/]+(?=/)`).exec(file)?.[0] ?? []));
    expect([...inside].filter((folder) => !folders.includes(folder))).toEqual([]);
  }
  const unknown = table.flatMap(({ folder, imports }) =>
    imports.filter((name) => !folders.includes(name)).map((name) => `${folder} → ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('each folder imports only what its door declares', () => {
  const offences = importsBetweenFolders().filter(
    ({ source, target }) => table.find(({ folder }) => folder === source)?.imports.includes(target) !== true,
  );
  expect(describeImports(offences)).toEqual([]);
});

test('each folder imports all that its door declares', () => {
  const found = new Set(importsBetweenFolders().map(({ source, target }) => `${source} → ${target}`));
  const declared = table.flatMap(({ folder, imports }) => imports.map((name) => `${folder} → ${name}`));
  expect(declared.filter((arrow) => !found.has(arrow))).toEqual([]);
});

test('other folders are entered by their door', () => {
  const offences = importsBetweenFolders().filter(
    ({ dependency, target }) => !doorsOf(target).includes(dependency.resolved),
  );
  expect(describeImports(offences)).toEqual([]);
});

test('layers of apiserver/ and cli/ are imported from inside only', () => {
  const rootOf = (folder: string): string => folder.split('/')[0] ?? '';
  const offences = importsBetweenFolders().filter(
    ({ source, target }) =>
      ['apiserver', 'cli'].includes(rootOf(target)) && target !== rootOf(target) && rootOf(source) !== rootOf(target),
  );
  expect(describeImports(offences)).toEqual([]);
});

test('beside the program stands only what all commands share', () => {
  const flat = listFiles().filter((file) => /^cli\/[^/]+$/.test(file) && !isTest(file));
  expect(flat.toSorted()).toEqual(
    ['advice', 'command-line', 'commands', 'help', 'main'].map((name) => `cli/${name}.ts`),
  );
});

test('product code imports no test', () => {
  expect(describeImports(productImports().filter(({ dependency }) => isTest(dependency.resolved)))).toEqual([]);
});

test('each folder imports the packages that its door declares, and no others', () => {
  const found = new Set(
    productImports().flatMap(({ from, dependency }) => {
      const name = packageOf(dependency);
      return name === undefined ? [] : [`${folderOf(from)} → ${name}`];
    }),
  );
  const declared = table.flatMap(({ folder, packages }) => packages.map((name) => `${folder} → ${name}`));
  expect([...found].toSorted()).toEqual(declared.toSorted());
});

test('every import resolves, and no files import each other in a circle', () => {
  const unresolved = productImports().filter(({ dependency }) => dependency.couldNotResolve);
  expect(unresolved.map(({ from, dependency }) => `${from} → ${dependency.module}`)).toEqual([]);
  const inCircle = ({ dependency }: Import): boolean =>
    dependency.rules?.some((rule) => rule.name === 'cycle') === true;
  expect(describeImports(productImports().filter(inCircle))).toEqual([]);
});

test('the table in ARCHITECTURE.md is the one that the doors declare', () => {
  expect(readFileSync('ARCHITECTURE.md', 'utf8')).toContain(`\n${importTableDocument(table)}\n`);
});
