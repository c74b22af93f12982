import { isJsonEqual, isJsonObject, type JsonValue } from '../../src/base/index.ts';

const maxShownLength = 400;

/** One place where what a reference implementation showed differs from what ours shows. */
export interface Difference {
  /** Of the point of rest. */
  readonly label: string;
  /** `objects[KEY].status.phase` */
  readonly path: string;
  /** Absent when it showed nothing there. */
  readonly reference?: string;
  readonly ours?: string;
}

/** A difference whose point of rest is known to the caller. */
export type Found = Omit<Difference, 'label'>;

function shown(side: 'reference' | 'ours', value: JsonValue | undefined): { reference?: string; ours?: string } {
  if (value === undefined) return {};
  const text = JSON.stringify(value);
  return { [side]: text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text };
}

function isTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Lists of texts, whatever their order: each line that only one of the two has. */
export function differentLines(path: string, reference: readonly string[], ours: readonly string[]): Found[] {
  return [
    ...reference.filter((line) => !ours.includes(line)).map((line) => ({ path, reference: line })),
    ...ours.filter((line) => !reference.includes(line)).map((line) => ({ path, ours: line })),
  ];
}

/** The same lines in another order, or another number of times, are one difference. */
function differentTexts(path: string, reference: readonly string[], ours: readonly string[]): Found[] {
  const found = differentLines(path, reference, ours);
  if (found.length > 0) return found;
  return [{ path, ...shown('reference', [...reference]), ...shown('ours', [...ours]) }];
}

function areEqual(reference: JsonValue | undefined, ours: JsonValue | undefined): boolean {
  return reference === ours || (reference !== undefined && ours !== undefined && isJsonEqual(reference, ours));
}

/** Where two values differ. */
export function differencesAt(path: string, reference: JsonValue | undefined, ours: JsonValue | undefined): Found[] {
  if (areEqual(reference, ours)) return [];
  if (isTexts(reference) && isTexts(ours)) return differentTexts(path, reference, ours);
  if (Array.isArray(reference) && Array.isArray(ours)) {
    const indexes = Array.from({ length: Math.max(reference.length, ours.length) }, (_, index) => index);
    return indexes.flatMap((index) => differencesAt(`${path}[${index}]`, reference[index], ours[index]));
  }
  if (isJsonObject(reference) && isJsonObject(ours)) {
    const keys = [...new Set([...Object.keys(reference), ...Object.keys(ours)])].toSorted();
    return keys.flatMap((key) =>
      differencesAt(/^[A-Za-z]\w*$/.test(key) ? `${path}.${key}` : `${path}[${key}]`, reference[key], ours[key]),
    );
  }
  return [{ path, ...shown('reference', reference), ...shown('ours', ours) }];
}

/** Compares two recordings of one scenario, point of rest by point of rest; empty when they agree. */
export function differencesByRest<S extends { readonly label: string }>(
  reference: readonly S[],
  ours: readonly S[],
  compare: (reference: S, ours: S) => readonly Found[],
): Difference[] {
  const labels = [...new Set([...reference, ...ours].map(({ label }) => label))];
  return labels.flatMap((label) => {
    const [theirs, own] = [reference, ours].map((snapshots) => snapshots.find((one) => one.label === label));
    if (theirs === undefined) return [{ label, path: '', ours: 'a point of rest' }];
    if (own === undefined) return [{ label, path: '', reference: 'a point of rest' }];
    return compare(theirs, own).map((difference) => ({ label, ...difference }));
  });
}
