import { expect, test } from 'vitest';
import { bundleNameIn } from './roles.ts';

test.each([
  ['./combo', 'combo'],
  ['combo/', 'combo'],
  ['registry.example.com:5000/team/Combo:v0.0.2', 'combo'],
  ['oci://quay.io/team/other@sha256:0123', 'other'],
  ['/tmp/a_bundle.tar.gz', 'a-bundle'],
  ['-', 'bundle'],
  ['/srv/bundles/combo/.', 'combo'],
])('the roles of two bundles have two names: %s', (text, name) => {
  expect(bundleNameIn(text)).toBe(name);
});
