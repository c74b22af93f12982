/** Compiled modules import what they use from where it is defined, not through the index of its folder: an index loads the whole folder, and a command
 *  that needs one function of it would pay for all. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Leaf {
  readonly file: string;
  readonly name: string;
}

/** The names of `{ a, b as c }` with those they have inside. */
function namesIn(list: string): readonly (readonly [inner: string, outer: string])[] {
  const parts = list.split(',').map((part) => part.trim());
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const [inner = '', outer = inner] = part.split(' as ');
      return [inner, outer];
    });
}

/** Where each name of an index comes from; undefined when the file does more than export again. */
function readIndex(file: string): ReadonlyMap<string, Leaf> | undefined {
  const leaves = new Map<string, Leaf>();
  const rest = readFileSync(file, 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    .replaceAll(/export \{([^}]*)\} from '(\.[^']+)';/g, (_, list: string, from: string) => {
      for (const [name, outer] of namesIn(list)) leaves.set(outer, { file: path.resolve(file, '..', from), name });
      return '';
    });
  return rest.trim() === '' ? leaves : undefined;
}

function createLookUp(): (leaf: Leaf) => Leaf {
  const indexes = new Map<string, ReadonlyMap<string, Leaf> | undefined>();
  const lookUp = ({ file, name }: Leaf): Leaf => {
    if (path.basename(file) !== 'index.js') return { file, name };
    if (!indexes.has(file)) indexes.set(file, readIndex(file));
    const next = indexes.get(file)?.get(name);
    return next === undefined ? { file, name } : lookUp(next);
  };
  return lookUp;
}

function importLines(folder: string, leaves: readonly (Leaf & { readonly outer: string })[]): string {
  const byFile = Map.groupBy(leaves, ({ file }) => file);
  const lines = [...byFile].map(([file, group]) => {
    const relative = path.relative(folder, file);
    const names = group.map(({ name, outer }) => (name === outer ? name : `${name} as ${outer}`));
    return `import { ${names.join(', ')} } from '${relative.startsWith('.') ? '' : './'}${relative}';`;
  });
  return lines.join('\n');
}

/** Rewrites the modules below `root`, which the compiler has written. */
export function writeLeafImports(root: string): void {
  const lookUp = createLookUp();
  for (const name of globSync('**/*.js', { cwd: root })) {
    const file = path.resolve(root, name);
    const text = readFileSync(file, 'utf8');
    const changed = text.replaceAll(
      /^import \{([^}]*)\} from '(\.[^']*\/index\.js)';/gm,
      (_, list: string, from: string) => {
        const index = path.resolve(file, '..', from);
        const leaves = namesIn(list).map(([inner, outer]) => ({ ...lookUp({ file: index, name: inner }), outer }));
        return importLines(path.dirname(file), leaves);
      },
    );
    if (changed !== text) writeFileSync(file, changed);
  }
}
