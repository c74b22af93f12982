import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { remoteReference } from './schema-references.ts';

const file = 'file:///etc/registry/auth.json';
const draft = (name: string): string => `http://json-schema.org/draft-${name}/schema#`;

describe('what an engine would fetch is found', () => {
  test.each([
    { name: 'a dialect that is a file', schema: { $schema: file } },
    { name: 'a dialect of data that is referred to', schema: { $ref: '#/x', x: { $id: 'x.json', $schema: file } } },
    { name: 'a file that data only claims to be', schema: { $ref: `${file}#/a`, examples: [{ $id: file }] } },
    { name: 'a file of a folder that data names', schema: { x: { $id: 'file:///etc/', not: { $ref: 'auth.json' } } } },
    {
      name: 'a name of another draft',
      schema: { $schema: draft('04'), $ref: file, definitions: { a: { $id: file } } },
    },
    { name: 'a keyword of a later draft', schema: { $schema: draft('07'), $ref: file, $defs: { a: { $id: file } } } },
    {
      name: 'a relative name that another folder has as well',
      schema: {
        $id: 'file:///etc/registry/',
        not: { $ref: 'auth.json' },
        $defs: { a: { $id: '/elsewhere/', $defs: { b: { $id: 'auth.json' } } } },
      },
    },
    {
      name: 'a port that some engines leave out',
      schema: { not: { $ref: 'http://a:80/x' }, $defs: { a: { $id: 'http://a/x' } } },
    },
    { name: 'a user that looks like a host', schema: { not: { $ref: 'http://json-schema.org@127.0.0.1/x' } } },
    {
      name: 'a very long name',
      schema: { not: { $ref: 'b'.repeat(2_001) }, $defs: { b: { $id: 'b'.repeat(2_001) } } },
    },
    {
      name: 'what stands below a very long name',
      schema: { $id: `https://a.io/${'a'.repeat(2_000)}/`, not: { $ref: 'b' }, $defs: { b: { $id: 'b' } } },
    },
    {
      name: 'a name that is very long together with those above it',
      schema: {
        $id: `https://a.io/${'a'.repeat(1_500)}/`,
        not: { $id: `${'b'.repeat(1_500)}/`, not: { $ref: 'c' } },
        $defs: { c: { $id: 'c' } },
      },
    },
    {
      name: 'more names than are resolved',
      schema: { allOf: Array.from({ length: 10_001 }, () => ({ $ref: 'b' })), $defs: { b: { $id: 'b' } } },
    },
    {
      name: 'what two drafts in one schema differ in',
      schema: { not: { $ref: 'b' }, $defs: { b: { $id: 'b', $schema: draft('04') } } },
    },
  ] satisfies readonly { name: string; schema: JsonObject }[])('$name', ({ schema }) => {
    expect(remoteReference(schema)).toEqual(expect.any(String));
  });
});

describe('a schema stands for itself', () => {
  const type = 'object';
  test.each([
    { name: 'which has its own definitions', schema: { not: { $ref: '#/$defs/a' }, $defs: { a: { type } } } },
    { name: 'with relative names', schema: { not: { $ref: 'b.json#/x' }, $defs: { b: { $id: './b.json', x: {} } } } },
    {
      name: 'with names below its own',
      schema: { $id: 'https://a.io/v/s.json', not: { $ref: 'b.json' }, $defs: { b: { $id: '/v/b.json' } } },
    },
    {
      name: 'in an early draft',
      schema: { $schema: draft('04'), id: 'https://a.io/v#', not: { $ref: 'b' }, definitions: { b: { id: 'b' } } },
    },
    { name: 'that has a URN', schema: { not: { $ref: 'urn:a:b' }, $defs: { b: { $id: 'urn:a:b' } } } },
    { name: 'of a value named id', schema: { $schema: draft('07'), properties: { id: { type }, $id: { type } } } },
    { name: 'or refers to the schema of schemas', schema: { not: { $ref: draft('07') } } },
  ] satisfies readonly { name: string; schema: JsonObject }[])('$name', ({ schema }) => {
    expect(remoteReference(schema)).toBeUndefined();
  });
});
