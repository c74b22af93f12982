import { expect, test } from 'vitest';
import type { Schema } from '../../src/schema/index.ts';
import { loadBuiltinSchemas } from './builtin-schemas.ts';

/** Follows property names; `[]` goes to the items. */
function at(schema: Schema | undefined, ...path: string[]): Schema {
  const step = (node: Schema, name: string): Schema => (name === '[]' ? node.items : node.properties?.[name]) ?? {};
  return path.reduce(step, schema ?? {});
}

test('knows fields, list types and merge keys of a pod', () => {
  const pod = loadBuiltinSchemas().kind('', 'v1', 'Pod');
  const containers = at(pod, 'spec', 'containers');
  expect(containers).toMatchObject({
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    'x-kubernetes-patch-strategy': 'merge',
    'x-kubernetes-patch-merge-key': 'name',
  });
  expect(at(containers, '[]').definition).toBe('io.k8s.api.core.v1.Container');
  expect(at(containers, '[]', 'ports', '[]', 'protocol').default).toBe('TCP');
});

test('a recursive definition is read along a value', () => {
  const schemas = loadBuiltinSchemas();
  const props = schemas.definition('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
  const nested = at(props, 'items', 'not', 'items').properties;
  expect(Object.keys(nested ?? {})).toContain('maxItems');
  expect(at(props, 'items').type).toBeUndefined();
});

test('every definition can be read', () => {
  const schemas = loadBuiltinSchemas();
  for (const name of schemas.definitionNames) {
    for (const node of Object.values(schemas.definition(name).properties ?? {})) expect(node).toBeTypeOf('object');
  }
});

test('a name from outside finds nothing but kinds', () => {
  expect(loadBuiltinSchemas().kind('__proto__', '', '')).toBeUndefined();
});
