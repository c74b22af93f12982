/** The import table: what each folder declares in its door with `@imports` and `@packages`.
 *  `ARCHITECTURE.md` shows it (`npm run generate`), and `test/architecture/boundaries.test.ts` holds every file to it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What one folder declares. */
export interface FolderImports {
  /** From the root of the repository: `src/base`, `apiserver/http`. */
  readonly folder: string;
  /** Folders that it may import, as their doors name them. */
  readonly imports: readonly string[];
  /** Packages that only this folder, and others that declare them, may import. */
  readonly packages: readonly string[];
}

const tags = ['imports', 'packages'] as const;

/** The folders that are compiled: what the product consists of. */
export function productRoots(): string[] {
  return (JSON.parse(readFileSync('tsconfig.build.json', 'utf8')) as { include: string[] }).include;
}

/** The doors of a folder: `index.ts`, `main.ts` of the program, and `commands.ts` of a group of commands, which loads what they need
 *  when they run. The first one that exists declares the imports. */
export function doorsOf(folder: string): string[] {
  return ['main', 'index', 'commands'].map((name) => `${folder}/${name}.ts`).filter((path) => existsSync(path));
}

/** The list behind a tag of a doc comment, over as many lines as it takes; undefined where there is no such tag. */
function readTag(comment: string, tag: string): string[] | undefined {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*(?:\/\*\*|\*\/|\*)?\s*|\s*(?:\*\/)?\s*$/g, ''));
  const start = lines.findIndex((line) => line.startsWith(`@${tag} `));
  if (start === -1) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => tags.some((other) => line.startsWith(`@${other} `)));
  const text = lines.slice(start, length === -1 ? undefined : start + 1 + length).join(' ');
  const names = text
    .slice(tag.length + 2)
    .split(',')
    .map((name) => name.trim());
  return names.filter((name) => name !== '' && name !== 'nothing');
}

/** What the doc comment at the head of a door declares; undefined where it declares nothing. */
function readDoor(path: string): FolderImports | undefined {
  const comment = /^\/\*\*[\s\S]*?\*\//.exec(readFileSync(path, 'utf8'))?.[0] ?? '';
  const imports = readTag(comment, 'imports');
  if (imports === undefined) return undefined;
  return { folder: dirname(path), imports, packages: readTag(comment, 'packages') ?? [] };
}

/** Every folder whose door declares imports. A folder comes after all that it imports; names decide among equals. */
export function readImportTable(): FolderImports[] {
  const patterns = productRoots().flatMap((root) => [`${root}/**/{main,index,commands}.ts`]);
  const rows = globSync(patterns)
    .filter((path) => doorsOf(dirname(path))[0] === path)
    .map(readDoor)
    .filter((row) => row !== undefined)
    .toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
  const depths = new Map<string, number>();
  const byFolder = new Map(rows.map((row) => [row.folder, row]));
  const depthOf = (folder: string, above: readonly string[]): number => {
    const known = depths.get(folder);
    if (known !== undefined) return known;
    if (above.includes(folder)) throw new Error(`folders import each other: ${[...above, folder].join(' → ')}`);
    const below = byFolder.get(folder)?.imports ?? [];
    const depth = Math.max(0, ...below.map((name) => depthOf(name, [...above, folder]) + 1));
    depths.set(folder, depth);
    return depth;
  };
  return rows.toSorted((a, b) => depthOf(a.folder, []) - depthOf(b.folder, []));
}

/** Packages of a folder, each with the other folders that declare it. */
function describePackages(row: FolderImports, rows: readonly FolderImports[]): string {
  const othersOf = (name: string): string =>
    rows
      .filter((other) => other !== row && other.packages.includes(name))
      .map(({ folder }) => folder)
      .join(', ');
  return row.packages.map((name) => (othersOf(name) === '' ? name : `${name} (with ${othersOf(name)})`)).join(', ');
}

/** One table of ARCHITECTURE.md. */
function table(rows: readonly FolderImports[], all: readonly FolderImports[]): string {
  const lines = rows.map((row) => {
    const imports = row.imports.length === 0 ? 'nothing of ours' : row.imports.join(', ');
    return `| \`${row.folder}\` | ${imports} | ${describePackages(row, all)} |`;
  });
  return ['| folder | may import | packages of its own |', '|---|---|---|', ...lines].join('\n');
}

/** The section of ARCHITECTURE.md between its markers: the product, then each folder that has layers of its own. */
export function importTableDocument(rows: readonly FolderImports[] = readImportTable()): string {
  const roots = productRoots().filter((root) => root !== 'src');
  const isInside = ({ folder }: FolderImports, root: string): boolean => folder.startsWith(`${root}/`);
  const outer = rows.filter((row) => !roots.some((root) => isInside(row, root)));
  const layered = roots.filter((root) => rows.some((row) => isInside(row, root)));
  const inner = layered.map((root) => {
    const own = rows.filter((row) => isInside(row, root));
    return `Inside \`${root}/\`:\n\n${table(own, rows)}`;
  });
  return [table(outer, rows), ...inner].join('\n\n');
}
