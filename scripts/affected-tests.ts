/** Which tests a change may break, over the import graph. An import through the door of a folder counts as one of the file that defines the name:
 *  a door loads its whole folder, which would connect everything with everything. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Tests of other folders use the server as equipment: what changes inside it is tested in its folder and by the conformance cases. */
const equipment = 'apiserver/server.ts';
const testedBy = /^(?:apiserver|test\/conformance)\//;
/** Folders whose tests are conformance cases for the most part, and which of them. */
const specifiedByCases: readonly (readonly [RegExp, RegExp])[] = [
  [/^apiserver\//, /^test\/conformance\//],
  [/^src\/cel\//, /^test\/conformance\/(?:admission|custom-resources)\./],
  [/^src\/schema\//, /^test\/conformance\/(?:applying|built-in-kinds|custom-resources)\./],
];

/** A name of a file, as another file imports it. */
interface Name {
  readonly file: string;
  readonly name: string;
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

const comments = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const namedImports = /^import (?:\w+, )?\{([^}]*)\} from '(\.[^']+)';/gm;
const namedExports = /^export (?:type )?\{([^}]*)\} from '(\.[^']+)';/gm;
const typeImports = /^import type [^;]*;/gm;
/** Other imports, workers, child processes and data. */
const paths = /'(\.{1,2}\/[^'\s]+\.\w+)'/g;

/** The names of `{ a, type B, c as d }` that exist at run time, by what the file calls them. */
function namesIn(list: string): readonly (readonly [outer: string, inner: string])[] {
  const parts = list.split(',').map((part) => part.trim());
  return parts
    .filter((part) => part !== '' && !part.startsWith('type '))
    .map((part) => {
      const [inner = '', outer = inner] = part.split(' as ');
      return [outer, inner];
    });
}

function resolveFrom(file: string, specifier: string): string {
  return path.posix.join(path.posix.dirname(file), specifier);
}

/** What each file exports of others. */
function reExports(texts: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlyMap<string, Name>> {
  return new Map(
    [...texts].map(([file, text]) => {
      const names = [...text.matchAll(namedExports)].flatMap(([, list = '', from = '']) =>
        namesIn(list).map(([outer, name]) => [outer, { file: resolveFrom(file, from), name }] as const),
      );
      return [file, new Map(names)];
    }),
  );
}

/** The files that use each file. */
function usersOf(texts: ReadonlyMap<string, string>): Edges {
  const exported = reExports(texts);
  const definitionOf = ({ file, name }: Name): string => {
    const next = exported.get(file)?.get(name);
    return next === undefined ? file : definitionOf(next);
  };
  const users = new Map<string, Set<string>>();
  const add = (used: string, user: string): void => {
    const known = users.get(used);
    if (known === undefined) users.set(used, new Set([user]));
    else known.add(user);
  };
  for (const [file, text] of texts) {
    const rest = text.replaceAll(typeImports, '').replaceAll(namedImports, (_, list: string, from: string) => {
      for (const [, name] of namesIn(list)) add(definitionOf({ file: resolveFrom(file, from), name }), file);
      return '';
    });
    for (const [, specifier = ''] of rest.matchAll(paths)) {
      add(resolveFrom(file, specifier), file);
    }
  }
  return users;
}

/** The test files that reach one of these files: conformance cases that specify it, then the nearest first; a changed test file is its own nearest.
 *  @param root the folder of the repository */
export function affectedTests(root: string, changed: readonly string[]): readonly string[] {
  const files = globSync('{src,provisioners,webhook,apiserver,manager,cli,scripts,bench,test}/**/*.ts', { cwd: root });
  const texts = new Map(
    files.map((file) => [file, readFileSync(path.join(root, file), 'utf8').replaceAll(comments, '')]),
  );
  const users = usersOf(texts);
  // Grows while it is walked.
  const reached = new Set(changed);
  for (const file of reached) {
    for (const user of users.get(file) ?? []) {
      if (file !== equipment || testedBy.test(user)) reached.add(user);
    }
  }
  const tests = [...reached].filter((file) => file.endsWith('.test.ts') && texts.has(file));
  const cases = specifiedByCases
    .filter(([folder]) => changed.some((file) => folder.test(file)))
    .flatMap(([, names]) => tests.filter((file) => names.test(file)));
  return [...new Set([...cases, ...tests])];
}
