import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const specification = join(import.meta.dirname, '../../docs/spec/olm-v0.md');
/** A row that no scenario shows. */
export interface UnplayedRow {
  readonly why: string;
  /** The file that has a test of that id. */
  readonly test: string;
}

const rowsOfCsvs = 'src/olm/csv/rows.test.ts';
const pods = (test: string): UnplayedRow => {
  return { why: 'OLM runs Pods or Jobs for it. Longshore has none: the test shows what it does instead.', test };
};

/** Rows that no scenario plays, why, and which test shows them. */
export const unplayedRows: Readonly<Record<string, UnplayedRow>> = {
  'C-009': {
    why: 'Longshore has one process for all namespaces; two implementations on one cluster are refused.',
    test: 'src/olm/other-olm.test.ts',
  },
  'E-038': pods('src/operators/plan-steps.test.ts'),
  'E-049': pods('src/olm/bundle-content/contents.test.ts'),
  'E-058': pods('src/olm/catalog-source/catalog-source-surroundings.test.ts'),
  'E-059': pods('src/olm/catalog-source/catalog-sources.test.ts'),
  'E-072': {
    why: 'Platform operators are no part of OLM.',
    test: 'src/olm/platform-operator/platform-operators.test.ts',
  },
  T16: { why: 'The rows I-1 to I-10 are its outcomes.', test: rowsOfCsvs },
  T25: { why: 'Every scenario of an operator that stays Succeeded shows it.', test: rowsOfCsvs },
  I2: { why: 'An API server that answers 503 cannot be played to OLM alone.', test: rowsOfCsvs },
  I5: { why: 'OLM has no error to give there but that of row I-4.', test: rowsOfCsvs },
  I7: { why: 'The scenarios E-057b to E-057d show it.', test: rowsOfCsvs },
};

/** Ids of a table, in its order: `C-001`, `T1`. */
async function rowsMatching(pattern: RegExp): Promise<string[]> {
  const text = await readFile(specification, 'utf8');
  return [...text.matchAll(pattern)].map(([, id = '']) => id);
}

/** All rows of the checklist and of the state machine. */
export async function specifiedRows(): Promise<readonly string[]> {
  const listed = await rowsMatching(/^\| ([CE]-\d{3}) \|/gm);
  return [...listed, ...(await rowsMatching(/^\| ([TI]\d{1,2}) \|/gm))];
}

/** The rows that the id of a scenario names: `C-033`, `E-008` and `T10` for `C-033-E-008b-T10`. */
export function rowsOf(id: string): readonly string[] {
  return [...id.matchAll(/([CETI])-?(\d{1,3})/g)].map(([, letter = '', digits = '']) => {
    const isListed = letter === 'C' || letter === 'E';
    return isListed ? `${letter}-${digits.padStart(3, '0')}` : `${letter}${Number(digits)}`;
  });
}
