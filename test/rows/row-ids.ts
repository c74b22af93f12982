import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const id = String.raw`[ABCDGHKNQUW]\d{1,2}`;
const ids = `${id}(?:, ${id})*`;
const listedId = String.raw`(?:(?:BF|RV|CR)-[A-Z]\d{1,2}|E-0\d\d|M[LP]-\d\d)`;
const listedIds = `${listedId}(?:(?:, | to )${listedId})*`;
const atStart = new RegExp(`^(?:(${ids}) |(${listedIds})(?=[ :]|$))`);
const inLiteral = new RegExp(String.raw`(?<![\w\\])(['"\`])(?:(${ids}) |(${listedIds})(?=[ :]|\1))`, 'g');

/** `RV-C1 to RV-C5` is five ids. */
function expand(text: string): string[] {
  return text.split(', ').flatMap((item) => {
    const [first = '', last = first] = item.split(' to ');
    const [, area = '', from = ''] = /^(.*?)(\d+)$/.exec(first) ?? [];
    const to = /\d+$/.exec(last)?.[0] ?? from;
    const count = Number(to) - Number(from) + 1;
    const digits = from.length;
    return Array.from({ length: count }, (_, index) => area + String(Number(from) + index).padStart(digits, '0'));
  });
}

/** The ids of the rows that a test of this name shows: `B2, B6 an image …` shows two, `RV-C1 to RV-C3 modes …` three. */
export function idsOfTitle(title: string): string[] {
  const [, plain, listed] = atStart.exec(title) ?? [];
  const found = plain ?? listed;
  return found === undefined ? [] : expand(found);
}

/** Whether a row is one of the lists whose ids begin with the name of the list: `BF-A1`, `CR-S1`, `ML-01`. */
export function hasList(row: string): boolean {
  return row.includes('-');
}

/** Whether what the tests of a row show is recorded, on both servers where they need one: the rows of RukPak's users, and those of machines. */
export function isRecorded(row: string): boolean {
  return !hasList(row) || /^M[LP]-/.test(row);
}

/** A test file and an id that a name in it starts with. */
export interface NamedId {
  readonly file: string;
  readonly id: string;
}

/** Rules of catalogs whose tests take their ids from a table of rows. */
function tabledIds(text: string): string[] {
  if (!text.includes("'CR-$rule ")) return [];
  return [...text.matchAll(/\brule: '([SV]\d{1,2}(?:, [SV]\d{1,2})*)'/g)].flatMap(([, rules = '']) =>
    rules.split(', ').map((rule) => `CR-${rule}`),
  );
}

/** Whose tests start with words that look like the ids of rows. */
const lookalikes = 'src/constraints/';
/** Rows of Operator Lifecycle Manager are shown by the scenarios of test/olm; tests name them to be found. */
const ofOlm = /^src\/(?:operators\/|olm\/(?!platform-operator\/))/;

function isListed(file: string, id: string): boolean {
  return hasList(id) ? !(id.startsWith('E-') && ofOlm.test(file)) : !file.startsWith(lookalikes);
}

/** Every id that a name in a test file starts with, once a file, without running anything; paths are from the root of the repository. */
export async function namedIds(): Promise<readonly NamedId[]> {
  const files = globSync('{src,provisioners,webhook,cli,test}/**/*.test.ts')
    .filter((file) => !file.startsWith('test/rows/'))
    .toSorted();
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(file, 'utf8');
      const inFile = [...text.matchAll(inLiteral)].flatMap(([, , plain, listed]) => expand(plain ?? listed ?? ''));
      const real = inFile.filter((one) => isListed(file, one));
      return [...new Set([...real, ...tabledIds(text)])].map((one) => ({ file, id: one }));
    }),
  );
  return found.flat();
}
