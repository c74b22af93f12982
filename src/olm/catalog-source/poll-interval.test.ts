import { expect, test } from 'vitest';
import type { CatalogSource } from '../../api/index.ts';
import { pollIntervalOf } from './poll-interval.ts';

function sourceOf(spec: Partial<CatalogSource['spec']>, interval?: string): CatalogSource {
  const updateStrategy = { registryPoll: interval === undefined ? {} : { interval } };
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: 'a', namespace: 'n' },
    spec: { sourceType: 'grpc', image: 'registry.example/cat:v1', updateStrategy, ...spec },
  };
}

test.each([
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['1ns', 10_000],
  ['0s', undefined],
  ['-5m', undefined],
  [undefined, undefined],
])('an image by tag with the interval %s is polled every %s ms', (interval, everyMs) => {
  expect(pollIntervalOf(sourceOf({}, interval))).toEqual({ everyMs });
});

test.each([
  ['10', 'time: missing unit in duration "10"'],
  ['', 'time: invalid duration ""'],
  ['soon', 'time: invalid duration "soon"'],
  ['5x', 'time: unknown unit "x" in duration "5x"'],
  ['1h5', 'time: missing unit in duration "1h5"'],
])('the interval %j is replaced by the default one', (interval, fault) => {
  const { everyMs, fault: found } = pollIntervalOf(sourceOf({}, interval));
  expect([everyMs, found?.endsWith(`Error: ${fault}`)]).toEqual([900_000, true]);
});

test('images by digest and ConfigMaps are not polled', () => {
  const image = `registry.example/cat@sha256:${'0'.repeat(64)}`;
  expect(pollIntervalOf(sourceOf({ image }, '10m'))).toEqual({ everyMs: undefined });
  expect(pollIntervalOf(sourceOf({ sourceType: 'configmap' }, '10m'))).toEqual({ everyMs: undefined });
});
