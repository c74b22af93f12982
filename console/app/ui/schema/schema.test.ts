import { expect, test } from 'vitest';
import { fieldErrors, fieldKind, type Schema, withMember } from './schema.ts';

const schema: Schema = {
  type: 'object',
  required: ['host'],
  properties: {
    host: { type: 'string', minLength: 1, pattern: '^[a-z]+$' },
    port: { type: 'integer', minimum: 1, maximum: 65_535 },
    level: { type: 'string', enum: ['info', 'debug'] },
    env: { type: 'array', items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
    sizes: { type: 'array', items: { type: 'number' } },
  },
};

test('each error is reported by the path of its field', () => {
  const value = { host: 'A', port: 0.5, level: 'loud', env: [{ name: 'a' }, {}], sizes: [1, 'two'] };
  expect([...fieldErrors(schema, value)]).toEqual([
    ['host', 'does not match ^[a-z]+$'],
    ['port', 'must be a whole number'],
    ['level', 'must be one of info, debug'],
    ['env.1.name', 'is required'],
    ['sizes.1', 'must be a number'],
  ]);
  expect([...fieldErrors(schema, { port: 70_000 }, 'config')]).toEqual([
    ['config.port', 'must be 65535 or less'],
    ['config.host', 'is required'],
  ]);
  expect(fieldErrors(schema, { host: 'a', port: 1, env: [], sizes: [] }).size).toBe(0);
});

test('a pattern that may run for ever is left to the server, as one that cannot be read is', () => {
  for (const pattern of ['^(a+)+$', '(', `^${'a'.repeat(300)}$`, `^${'a*'.repeat(12)}$`, `^${'a?'.repeat(60)}$`]) {
    expect(fieldErrors({ type: 'string', pattern }, `${'a'.repeat(60)}!`).size).toBe(0);
  }
});

test('what has no field of its own is edited as text', () => {
  expect(fieldKind({})).toBe('other');
  expect(fieldKind({ type: ['string', 'null'] })).toBe('text');
  expect(fieldKind({ type: 'object', additionalProperties: { type: 'string' } })).toBe('map');
  expect(fieldKind({ type: 'object' })).toBe('other');
  expect(fieldKind({ type: 'array', items: { type: 'string' } })).toBe('texts');
});

test('a member that is unset is left out', () => {
  expect(withMember({ a: 1, b: 2 }, 'a', '')).toEqual({ b: 2 });
  expect(withMember({ a: 1 }, 'b', {})).toEqual({ a: 1 });
  expect(withMember({ a: 1 }, 'b', false)).toEqual({ a: 1, b: false });
});
