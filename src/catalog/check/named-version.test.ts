import { expect, test } from 'vitest';
import { formatVersion } from '../../constraints/index.ts';
import { namedVersion } from './named-version.ts';

test.each([
  ['p.v1.2.3', '1.2.3'],
  ['p.1.2.3-rc.1+build', '1.2.3-rc.1+build'],
  ['p', undefined],
  ['p.v1.2', undefined],
  [`${'.1.1'.repeat(400_000)}\n`, undefined],
])('the version in the name %.20s is %s', (name, expected) => {
  const version = namedVersion(name);
  expect(version && formatVersion(version)).toBe(expected);
});
