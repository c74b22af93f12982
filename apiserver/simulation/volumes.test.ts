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
