import { expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import { type KubeObject, TypeRegistry } from '../core/index.ts';
import { CustomResources } from './index.ts';

class CountingCluster extends MemoryCluster {
  lists = 0;

  override list(...about: Parameters<MemoryCluster['list']>): ReturnType<MemoryCluster['list']> {
    this.lists += 1;
    return super.list(...about);
  }
}

function definition(plural: string, kind: string): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind, singular: plural, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

test('a change of one definition does not read the others, whose names count nevertheless', async () => {
  const cluster = new CountingCluster();
  const definitions = cluster.type('customresourcedefinitions', 'apiextensions.k8s.io');
  const types = new TypeRegistry([]);
  const callConversion = (): never => {
    throw new Error('not called');
  };
  const deps = { cluster, types, clock: systemClock, log: silentLogger(), columns: () => [], callConversion };
  using _custom = new CustomResources(deps, definitions);
  cluster.lists = 0;
  const as = { as: 'test' };
  await cluster.create(definitions, definition('as', 'Same'), as);
  await eventually(() => expect(types.find('example.com', 'v1', 'as')).toBeDefined());
  await cluster.create(definitions, definition('bs', 'Same'), as);
  await eventually(() => {
    const refused = cluster.get(definitions, { namespace: '', name: 'bs.example.com' });
    expect(refused?.['status']).toMatchObject({
      conditions: [{ type: 'NamesAccepted', reason: 'ListKindConflict' }, {}],
    });
  });
  expect(types.find('example.com', 'v1', 'bs')).toBeUndefined();
  await cluster.delete(definitions, { namespace: '', name: 'as.example.com' }, as);
  await eventually(() => expect(types.find('example.com', 'v1', 'bs')).toBeDefined());
  expect(cluster.lists).toBe(0);
});
