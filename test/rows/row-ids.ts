import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const ids = String.raw`[ABCDGKNQUW]\d{1,2}(?:, [ABCDGKNQUW]\d{1,2})*`;
const atStart = new RegExp(`^(${ids}) `);
const inLiteral = new RegExp(String.raw`(?<![\w\\])['"\`](${ids}) `, 'g');

/** The ids of the rows that a test of this name shows: `B2, B6 an image …` shows two. */
export function idsOfTitle(title: string): string[] {
  return atStart.exec(title)?.[1]?.split(', ') ?? [];
}

/** A test file and an id that a name in it starts with. */
export interface NamedId {
  readonly file: string;
  readonly id: string;
}

/** Folders whose tests have nothing to do with the rows, or quote them. */
const elsewhere = ['src/constraints/', 'test/rows/'];

/** Every id that a name in a test file starts with, once a file, without running anything; paths are from the root of the repository. */
export async function namedIds(): Promise<readonly NamedId[]> {
  const all = globSync('{src,provisioners,webhook,cli,test}/**/*.test.ts').toSorted();
  const files = all.filter((file) => !elsewhere.some((folder) => file.startsWith(folder)));
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(file, 'utf8');
      const inFile = [...text.matchAll(inLiteral)].flatMap(([, list = '']) => list.split(', '));
      return [...new Set(inFile)].map((id) => ({ file, id }));
    }),
  );
  return found.flat();
}
