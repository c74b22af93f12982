import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Visitor } from '@swc/core/Visitor.js';
import { cruise, type ICruiseResult, type IDependency, type IModule } from 'dependency-cruiser';
import { beforeAll, expect, test } from 'vitest';
import { importTable, packageHomes } from './import-table.ts';

const folders = Object.keys(importTable).sort((a, b) => b.length - a.length);
const roots = ['src', 'provisioners', 'webhook', 'apiserver', 'manager', 'cli'].filter((root) => existsSync(root));
let modules: readonly IModule[] = [];

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
function productImports(): { from: string; dependency: IDependency }[] {
  return modules
    .filter((module) => folderOf(module.source) !== undefined && !isTest(module.source))
    .flatMap((module) => module.dependencies.map((dependency) => ({ from: module.source, dependency })));
}

function describeImports(imports: readonly { from: string; dependency: IDependency }[]): string[] {
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

beforeAll(async () => {
  teachUsingDeclarations();
  const viaValues = { circular: true, viaOnly: { dependencyTypesNot: ['type-only' as const] } };
  const result = await cruise(roots, {
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
    doNotFollow: { path: 'node_modules' },
    ruleSet: { forbidden: [{ name: 'cycle', severity: 'error', from: {}, to: viaValues }] },
    validate: true,
  });
  modules = (result.output as ICruiseResult).modules;
}, 60_000);

test('the reader saw every module', () => {
  const patterns = roots.flatMap((root) => [`${root}/*.ts`, `${root}/**/*.ts`]);
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns]).toString();
  const files = [...new Set(listed.trim().split('\n'))].filter((file) => existsSync(file) && !file.endsWith('.d.ts'));
  const read = new Set(modules.map((module) => module.source));
  expect(files.filter((file) => !read.has(file))).toEqual([]);
  expect(files.length).toBeGreaterThan(20);
});

test('each folder imports only what the table allows', () => {
  const offences = productImports().filter(({ from, dependency }) => {
    const source = folderOf(from);
    const target = folderOf(dependency.resolved);
    if (source === undefined || target === undefined || source === target) return false;
    const allowed = importTable[source];
    return allowed !== '*' && allowed?.includes(target) !== true;
  });
  expect(describeImports(offences)).toEqual([]);
});

test('other folders are entered by their door, index.ts', () => {
  const offences = productImports().filter(({ from, dependency }) => {
    const target = folderOf(dependency.resolved);
    return target !== undefined && folderOf(from) !== target && dependency.resolved !== `${target}/index.ts`;
  });
  expect(describeImports(offences)).toEqual([]);
});

test('product code imports no test', () => {
  expect(describeImports(productImports().filter(({ dependency }) => isTest(dependency.resolved)))).toEqual([]);
});

test('a package with a home is imported at home only', () => {
  const offences = productImports().filter(({ from, dependency }) => {
    const home = packageHomes[packageOf(dependency) ?? ''];
    return home !== undefined && !home.includes(folderOf(from) ?? '');
  });
  expect(describeImports(offences)).toEqual([]);
});

test('every import resolves, and no modules import each other in a circle', () => {
  const unresolved = productImports().filter(({ dependency }) => dependency.couldNotResolve);
  expect(unresolved.map(({ from, dependency }) => `${from} → ${dependency.module}`)).toEqual([]);
  const inCircle = ({ dependency }: { dependency: IDependency }): boolean =>
    dependency.rules?.some((rule) => rule.name === 'cycle') === true;
  expect(describeImports(productImports().filter(inCircle))).toEqual([]);
});
