import { expect, test } from 'vitest';
import type { Cluster, KubeObject, ListChoice, ObjectSummary, ResourceType } from '../../core/index.ts';
import { clusterServiceResolver } from './service-resolver.ts';

const service = { metadata: { name: 'hook', namespace: 'team' }, spec: { ports: [{ port: 443 }] } };

function sliceOf(name: string): KubeObject {
  const labels = { 'kubernetes.io/service-name': name };
  const endpoints = [{ addresses: ['127.0.0.1'], conditions: { ready: true } }];
  return { metadata: { namespace: 'team', labels }, endpoints, ports: [{ port: 8443 }] } as unknown as KubeObject;
}

/** A cluster with these slices, and those that were read. */
function clusterWith(slices: readonly KubeObject[]): { readonly cluster: Cluster; readonly read: KubeObject[] } {
  const read: KubeObject[] = [];
  function* each(_type: ResourceType, { selects }: ListChoice = {}): Generator<KubeObject> {
    for (const slice of slices) {
      if (selects?.({ labels: slice.metadata.labels ?? {} } as ObjectSummary) === false) continue;
      read.push(slice);
      yield slice;
    }
  }
  const cluster = {
    resource: (_group: string, plural: string) => ({ plural }),
    get: ({ plural }: ResourceType) => (plural === 'services' ? service : undefined),
    each,
    list: (type: ResourceType, choice?: ListChoice) => [...each(type, choice)],
  } as unknown as Cluster;
  return { cluster, read };
}

test('of the slices in a namespace those of the Service are read, until one leads to it', () => {
  const slices = ['other', 'hook', 'hook', 'other'].map(sliceOf);
  const { cluster, read } = clusterWith(slices);
  const found = clusterServiceResolver(cluster)({ namespace: 'team', name: 'hook', port: 443 });
  expect(found).toEqual({ host: '127.0.0.1', port: 8443 });
  expect(read).toEqual([slices[1]]);
});
