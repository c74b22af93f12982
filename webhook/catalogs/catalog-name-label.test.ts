import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { catalogNameLabel } from './catalog-name-label.ts';

const label = 'olm.operatorframework.io/metadata.name';
const patchOf = (metadata: JsonObject): unknown => catalogNameLabel({ metadata }).patch;

test('a catalog gets its name as a label, beside those that it has', () => {
  expect(patchOf({ name: 'a' })).toEqual([{ op: 'add', path: '/metadata/labels', value: { [label]: 'a' } }]);
  const path = '/metadata/labels/olm.operatorframework.io~1metadata.name';
  expect(patchOf({ name: 'a', labels: { x: 'y' } })).toEqual([{ op: 'add', path, value: 'a' }]);
  expect(patchOf({ name: 'a', labels: { [label]: 'b' } })).toEqual([{ op: 'add', path, value: 'a' }]);
});

test('a catalog that has the label, or no name yet, stays as it is', () => {
  expect(patchOf({ name: 'a', labels: { [label]: 'a' } })).toBeUndefined();
  expect(patchOf({ generateName: 'a-' })).toBeUndefined();
});
