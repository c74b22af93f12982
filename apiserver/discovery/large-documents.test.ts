import { expect, test } from 'vitest';
import { atOnce, TypeRegistry } from '../core/index.ts';
import type { Exchange } from '../http/index.ts';
import { builtinResourceTypes } from '../registry/index.ts';
import { createDiscovery } from './index.ts';
import { findDefinitions } from './openapi/definitions.ts';
import { DocumentParts } from './openapi/document-parts.ts';
import type { DocumentUnit } from './openapi/documents.ts';
import { documentPath, metaDefinition } from './openapi/operations.ts';

const writers = { path: ({ path }: { path: string }) => ({ path }), definition: () => ({}) };

function unit(path: string, isCustom: boolean): DocumentUnit {
  return { isCustom, paths: () => [documentPath(path, { tag: 'a', id: 'b', schema: metaDefinition('APIGroup') })] };
}

const custom = Array.from({ length: 1000 }, (_, index) => unit(`/custom${index}`, true));

test('a document leaves out custom resources that do not fit into it, and no built-in ones', () => {
  const parts = new DocumentParts(writers, findDefinitions([]), 2000);
  atOnce(parts.addAll([...custom, unit('/builtin', false)]));
  expect([...parts.paths.keys()].slice(0, 2)).toEqual(['/builtin', '/custom0']);
  expect(parts.paths.size).toBeGreaterThan(10);
  expect([...parts.paths].flat().join('').length).toBeLessThan(2000);
});

test('others have a turn between the resources of a document', () => {
  const steps = new DocumentParts(writers, findDefinitions([])).addAll(custom);
  let count = 0;
  while (steps.next().done !== true) count += 1;
  expect(count).toBeGreaterThanOrEqual(custom.length);
});

test('those who ask for a document while it is made get the newest one, which is made once for them', async () => {
  let editions = 0;
  class Types extends TypeRegistry {
    override all(): ReturnType<TypeRegistry['all']> {
      editions += 1;
      return super.all();
    }
  }
  const types = new Types(builtinResourceTypes({ services: () => [], nowMs: () => 0 }).slice(0, 5));
  const discovery = createDiscovery(types, 'v1.33.4');
  const exchange = { method: 'GET', path: '/openapi/v2', header: () => undefined } as unknown as Exchange;
  const asked = Array.from({ length: 10 }, (_, index) => {
    types.setCustom(`definition${index}`, []);
    return discovery(exchange, '/openapi/v2');
  });
  expect(await Promise.all(asked.map(async (reply) => (await reply)?.code))).toEqual(asked.map(() => 200));
  expect(editions).toBeLessThan(3);
});
