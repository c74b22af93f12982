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

test('the definition of the cluster decides types, limits and what is required', () => {
  const specDescriptors = [{ path: 'interval', displayName: 'Interval' }];
  const definition = {
    type: 'object',
    required: ['harbour', 'pier'],
    properties: {
      harbour: { type: 'string', minLength: 1 },
      pier: { type: 'string', description: 'Where it stands' },
      interval: { type: 'integer', minimum: 1 },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      other: { type: 'string' },
    },
  };
  const example = { spec: { harbour: 'Old Pier', labels: { tide: 'high' } } };
  const schema = specSchema({ ...api, specDescriptors }, example, definition);
  expect(schema.required).toEqual(['harbour', 'pier']);
  expect(schema.properties).toMatchObject({
    harbour: { type: 'string', minLength: 1 },
    pier: { type: 'string', description: 'Where it stands' },
    interval: { type: 'integer', minimum: 1, title: 'Interval' },
    labels: { additionalProperties: { type: 'string' }, properties: {} },
  });
  expect(schema.properties).not.toHaveProperty('other');
  expect(Object.keys(specSchema(api, undefined, definition).properties ?? {})).toEqual(
    Object.keys(definition.properties),
  );
});
