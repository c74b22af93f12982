import { expect, test } from 'vitest';
import { assertStoreRoom } from './store-room.ts';

const mebibyte = 1024 ** 2;

function problemOf(mebibytes: readonly [all: number, tenants: number, own: number], namespace = 'team'): unknown {
  const [all, tenants, own] = mebibytes.map((value) => value * mebibyte);
  try {
    assertStoreRoom({ all: all ?? 0, tenants: tenants ?? 0, namespace: own ?? 0 }, 100 * mebibyte, {
      namespace,
      isGlobal: namespace === 'olm',
    });
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

test('a namespace with much stored leaves room for others', () => {
  expect(problemOf([25, 25, 25])).toBe(
    'the catalogs of namespace team take 25 MiB on disk, the limit is 25 MiB: delete CatalogSources that are not needed',
  );
  expect(problemOf([25, 25, 0])).toBeUndefined();
  expect(problemOf([24, 24, 24])).toBeUndefined();
});

test('many namespaces leave room for the global one', () => {
  expect(problemOf([50, 50, 0])).toContain('the catalogs outside of the global namespace take 50 MiB');
  expect(problemOf([50, 50, 0], 'olm')).toBeUndefined();
  expect(problemOf([99, 49, 50], 'olm')).toBeUndefined();
  expect(problemOf([100, 49, 51], 'olm')).toContain('all catalogs take 100 MiB');
});
