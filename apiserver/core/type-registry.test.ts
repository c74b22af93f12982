import { expect, test } from 'vitest';
import { builtinResourceTypes } from '../registry/index.ts';
import { TypeRegistry } from './type-registry.ts';

test('the versions of a resource are found without a look at all types, of which there may be very many', () => {
  const builtin = builtinResourceTypes({ services: () => [], nowMs: () => 0 });
  const types = new TypeRegistry(builtin);
  const [widget] = builtin;
  if (widget === undefined) throw new Error('no types');
  const own = { ...widget, group: 'example.com', plural: 'widgets', storageKey: 'widgets.example.com' };
  const later = { ...own, version: 'v2', isStorageVersion: false };
  types.setCustom('widgets.example.com', [own, later]);
  expect(types.versionsOf('widgets.example.com')).toEqual([own, later]);
  expect(types.versionsOf('widgets.example.com')).toBe(types.versionsOf('widgets.example.com'));
  expect(types.storageType('example.com', 'widgets')).toBe(own);
  types.setCustom('widgets.example.com', []);
  expect(types.versionsOf('widgets.example.com')).toEqual([]);
});
