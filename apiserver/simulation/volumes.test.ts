import { expect, test } from 'vitest';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { ListChoice } from '../core/cluster.ts';
import type { KubeObject } from '../core/kube-object.ts';
import type { ResourceType } from '../core/resource-type.ts';
import type { SimulationContext } from './simulated.ts';
import { volumeSimulation } from './volumes.ts';

const as = { as: 'test' };

/** Counts how often all volumes are read. */
class CountingCluster extends MemoryCluster {
  reads = 0;

  override list(resource: ResourceType, choice?: ListChoice): readonly KubeObject[] {
    if (resource.plural === 'persistentvolumes') this.reads += 1;
    return super.list(resource, choice);
  }
}

/** Writes no claim named `full`, such as one whose annotations have room for no other. */
class RefusingCluster extends MemoryCluster {
  override async patch(...args: Parameters<MemoryCluster['patch']>): Promise<KubeObject> {
    if (args[1].name === 'full') throw new Error('too large');
    return await super.patch(...args);
  }
}

function claim(name: string, spec: object): KubeObject {
  const resources = { requests: { storage: '1Gi' } };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'ns', name },
    spec: { accessModes: ['ReadWriteOnce'], resources, ...spec },
  } as unknown as KubeObject;
}

function volume(name: string, storage: string): KubeObject {
  const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage }, storageClassName: 'manual' };
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec } as unknown as KubeObject;
}

test('the volumes are read once for all claims that wait, and each claim gets one of its own, the smallest first', async () => {
  const cluster = new CountingCluster();
  const [claims, volumes] = [cluster.type('persistentvolumeclaims'), cluster.type('persistentvolumes')];
  for (const [name, storage] of [
    ['large', '5Gi'],
    ['small', '1Gi'],
  ] as const) {
    await cluster.create(volumes, volume(name, storage), as);
  }
  for (const name of ['a', 'b', 'c']) await cluster.create(claims, claim(name, { storageClassName: 'manual' }), as);
  for (let index = 0; index < 10; index += 1) {
    await cluster.create(claims, claim(`waits-${index}`, { storageClassName: 'none' }), as);
  }
  await volumeSimulation({ cluster } as unknown as SimulationContext).work('all');
  expect(cluster.reads).toBe(2);
  const bound = ['a', 'b', 'c'].map((name) => {
    const spec = cluster.get(claims, { namespace: 'ns', name })?.spec;
    return (spec as { readonly volumeName?: string } | undefined)?.volumeName;
  });
  expect(bound).toEqual(['small', 'large', undefined]);
});

test('claims of a namespace that has very many take turns with those of others', async () => {
  const cluster = new MemoryCluster();
  const claims = cluster.type('persistentvolumeclaims');
  for (let index = 0; index < 20; index += 1) await cluster.create(claims, claim(`c${index}`, {}), as);
  const other = claim('last', {});
  await cluster.create(claims, { ...other, metadata: { ...other.metadata, namespace: 'other' } }, as);
  const bound: string[] = [];
  using _ = cluster.subscribe(({ object }) => {
    const { phase } = (object['status'] ?? {}) as { readonly phase?: string };
    if (object.kind === 'PersistentVolumeClaim' && phase === 'Bound') bound.push(object.metadata.name ?? '');
  });
  await volumeSimulation({ cluster } as unknown as SimulationContext).work('all');
  expect(bound).toHaveLength(21);
  expect(bound.indexOf('last')).toBeLessThan(3);
});

test('a claim that cannot be written is in the way of no other', async () => {
  const cluster = new RefusingCluster();
  const claims = cluster.type('persistentvolumeclaims');
  for (const name of ['full', 'other']) await cluster.create(claims, claim(name, {}), as);
  await expect(volumeSimulation({ cluster } as unknown as SimulationContext).work('all')).rejects.toThrow('too large');
  expect(cluster.get(claims, { namespace: 'ns', name: 'other' })?.status).toMatchObject({ phase: 'Bound' });
});
