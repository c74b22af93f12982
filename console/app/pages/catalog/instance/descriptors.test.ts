import { expect, test } from 'vitest';
import { exampleOf, specSchema } from './descriptors.ts';

const api = { name: 'gauges.tide.example.com', kind: 'Gauge', version: 'v1' };
const hint = (word: string): readonly string[] => [`urn:alm:descriptor:com.tectonic.ui:${word}`];

test('fields come from the example and the descriptors: titles, types and choices', () => {
  const specDescriptors = [
    { path: 'interval', displayName: 'Interval', description: 'In seconds', 'x-descriptors': hint('number') },
    { path: 'mode', 'x-descriptors': [...hint('select:fast'), ...hint('select:exact')] },
    { path: 'log.debug', 'x-descriptors': hint('booleanSwitch') },
  ];
  expect(specSchema({ ...api, specDescriptors }, { spec: { harbour: 'Old Pier', interval: 60 } })).toEqual({
    type: 'object',
    properties: {
      harbour: { type: 'string' },
      interval: { type: 'integer', title: 'Interval', description: 'In seconds' },
      mode: { type: 'string', enum: ['fast', 'exact'] },
      log: { type: 'object', properties: { debug: { type: 'boolean' } } },
    },
  });
});

test('paths that are no fields are left out, and so are examples that cannot be read', () => {
  const specDescriptors = ['__proto__.polluted', 'constructor', 'a[0].b', '<script>', 'x.'.repeat(50)].map((path) => ({
    path,
  }));
  expect(specSchema({ ...api, specDescriptors }, undefined)).toEqual({ type: 'object', properties: {} });
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(exampleOf({ annotations: { 'alm-examples': '[{' } }, api)).toBeUndefined();
  expect(exampleOf({ annotations: { 'alm-examples': '[{"kind":"Gauge"}]' } }, api)).toEqual({ kind: 'Gauge' });
});
