import { isJsonEqual, isJsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Recording } from './scenario.ts';

const maxShownLength = 400;

/** One place where two runs of a scenario differ. */
export interface Difference {
  /** Of the point of rest. */
  readonly label: string;
  /** `objects[KEY].status.phase` */
  readonly path: string;
  /** What the real OLM showed; absent when it showed nothing there. */
  readonly olm?: string;
  readonly ours?: string;
}

function shown(side: 'olm' | 'ours', value: JsonValue | undefined): { olm?: string; ours?: string } {
  if (value === undefined) return {};
  const text = JSON.stringify(value);
  return { [side]: text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text };
}

type Found = Omit<Difference, 'label'>;

function isTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Lists of texts, whatever their order: each line that only one of the two has. */
function differentLines(path: string, olm: readonly string[], ours: readonly string[]): Found[] {
  return [
    ...olm.filter((line) => !ours.includes(line)).map((line) => ({ path, olm: line })),
    ...ours.filter((line) => !olm.includes(line)).map((line) => ({ path, ours: line })),
  ];
}

/** The same lines in another order, or another number of times, are one difference. */
function differentTexts(path: string, olm: readonly string[], ours: readonly string[]): Found[] {
  const found = differentLines(path, olm, ours);
  if (found.length > 0) return found;
  return [{ path, ...shown('olm', [...olm]), ...shown('ours', [...ours]) }];
}

function areEqual(olm: JsonValue | undefined, ours: JsonValue | undefined): boolean {
  return olm === ours || (olm !== undefined && ours !== undefined && isJsonEqual(olm, ours));
}

function differencesAt(path: string, olm: JsonValue | undefined, ours: JsonValue | undefined): Found[] {
  if (areEqual(olm, ours)) return [];
  if (isTexts(olm) && isTexts(ours)) return differentTexts(path, olm, ours);
  if (Array.isArray(olm) && Array.isArray(ours)) {
    const indexes = Array.from({ length: Math.max(olm.length, ours.length) }, (_, index) => index);
    return indexes.flatMap((index) => differencesAt(`${path}[${index}]`, olm[index], ours[index]));
  }
  if (isJsonObject(olm) && isJsonObject(ours)) {
    const keys = [...new Set([...Object.keys(olm), ...Object.keys(ours)])].toSorted();
    return keys.flatMap((key) =>
      differencesAt(/^[A-Za-z]\w*$/.test(key) ? `${path}.${key}` : `${path}[${key}]`, olm[key], ours[key]),
    );
  }
  return [{ path, ...shown('olm', olm), ...shown('ours', ours) }];
}

/** Where two recordings of one scenario differ, in the order of its points of rest; empty when they agree. */
export function differencesOf(olm: Recording, ours: Recording): Difference[] {
  const labels = [...new Set([...olm.snapshots, ...ours.snapshots].map(({ label }) => label))];
  return labels.flatMap((label) => {
    const [theirs, own] = [olm, ours].map(({ snapshots }) => snapshots.find((one) => one.label === label));
    if (theirs === undefined) return [{ label, path: '', ours: 'a point of rest' }];
    if (own === undefined) return [{ label, path: '', olm: 'a point of rest' }];
    const found = [
      ...differencesAt('restless', theirs.restless ?? false, own.restless ?? false),
      ...differencesAt('objects', theirs.objects, own.objects),
      ...differencesAt('phases', theirs.phases as Record<string, JsonValue>, own.phases as Record<string, JsonValue>),
      ...differencesAt('answers', theirs.answers ?? {}, own.answers ?? {}),
      ...differentLines('events', theirs.events, own.events),
      ...differentLines('metrics', theirs.metrics, own.metrics),
    ];
    return found.map((difference) => ({ label, ...difference }));
  });
}
