import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const specification = join(import.meta.dirname, '../../docs/spec/olm-v0.md');
const pods = 'OLM runs Pods or Jobs for it. Longshore has none: what it does instead is tested beside its code.';

/** Rows that no scenario plays, and why. */
export const unplayedRows: Readonly<Record<string, string>> = {
  'C-009': 'Longshore has one process for all namespaces; two implementations on one cluster are refused.',
  'E-038': pods,
  'E-049': pods,
  'E-058': pods,
  'E-059': pods,
  'E-072': 'Platform operators are no part of OLM and have tests of their own.',
  T16: 'The rows I-1 to I-10 are its outcomes.',
  T25: 'Every scenario of an operator that stays Succeeded shows it.',
  I2: 'An API server that answers 503 cannot be played to OLM alone; tests of faults do it to Longshore.',
  I5: 'OLM has no error to give there but that of row I-4.',
  I7: 'The scenarios E-057b to E-057d show it.',
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
