import { isJsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { PoolSnapshot } from './scenario.ts';

/** A value that differs. */
export interface PoolDifference {
  readonly label: string;
  readonly path: string;
  readonly reference: JsonValue | undefined;
  readonly ours: JsonValue | undefined;
}

function compare(
  path: string,
  reference: JsonValue | undefined,
  ours: JsonValue | undefined,
): readonly Omit<PoolDifference, 'label'>[] {
  if (JSON.stringify(reference) === JSON.stringify(ours)) return [];
  if (!isJsonObject(reference) || !isJsonObject(ours)) return [{ path, reference, ours }];
  const keys = [...new Set([...Object.keys(reference), ...Object.keys(ours)])];
  return keys.flatMap((key) => compare(path === '' ? key : `${path} ${key}`, reference[key], ours[key]));
}

function lines(all: readonly string[]): Record<string, true> {
  return Object.fromEntries(all.map((line) => [line, true as const]));
}

/** What ours showed differently. */
export function poolDifferences(
  reference: readonly PoolSnapshot[],
  ours: readonly PoolSnapshot[],
): readonly PoolDifference[] {
  return reference.flatMap((expected, index) => {
    const { label } = expected;
    const own = ours[index];
    const objects = compare('', expected.objects as unknown as JsonValue, own?.objects as unknown as JsonValue);
    const events = compare('event', lines(expected.events), lines(own?.events ?? []));
    return [...objects, ...events].map((difference) => ({ label, ...difference }));
  });
}
