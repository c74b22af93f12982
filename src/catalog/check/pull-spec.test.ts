import { expect, test } from 'vitest';
import { pullSpecFault } from './pull-spec.ts';

const hex = 'a'.repeat(64);

test.each([
  'nginx',
  'a/b',
  'localhost/a',
  'registry.example:5000/a/b_c/d--e:v1.0',
  `registry.example/a@sha256:${hex}`,
  `registry.example/a:tag@sha256:${hex}`,
  `[fd00::1]:5000/a@sha512:${hex}${hex}`,
])('CR-S15 takes %s for an image', (text) => {
  expect(pullSpecFault(text)).toBeUndefined();
});

const rows: readonly (readonly [string, string])[] = [
  ['registry.example/Widget:1', 'invalid reference format: repository name must be lowercase'],
  ['oci://host/name:tag', 'invalid reference format'],
  ['a b', 'invalid reference format'],
  ['a:b:c', 'invalid reference format'],
  ['a@b', 'invalid reference format'],
  ['registry.example/a:', 'invalid reference format'],
  ['-bad.example/a', 'invalid reference format'],
  [`a/${'b'.repeat(260)}`, 'repository name must not be more than 255 characters'],
  [hex, `invalid repository name (${hex}), cannot specify 64-byte hexadecimal strings`],
  [`a@sha999:${hex}`, 'unsupported digest algorithm'],
  [`a@sha256:${hex}0`, 'invalid checksum digest length'],
  [`a@sha256:${hex.toUpperCase()}`, 'invalid checksum digest format'],
  ['a'.repeat(5_000), 'invalid reference format'],
];

test.each(rows)('CR-S15 refuses %s', (text, fault) => {
  expect(pullSpecFault(text)).toBe(fault);
});
