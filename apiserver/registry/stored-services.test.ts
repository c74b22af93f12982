import { expect, test } from 'vitest';
import type { KubeObject } from '../core/index.ts';
import { Store } from '../storage/index.ts';
import { StoredServices } from './stored-services.ts';

/** Counts how often the objects of a store are read. */
function countReads(store: Store): { readonly store: Pick<Store, 'list' | 'subscribe'>; reads: number } {
  const counted = {
    reads: 0,
    store: {
      subscribe: store.subscribe.bind(store),
      list: (storageKey: string) =>
        store.list(storageKey).map((entry) =>
          Object.defineProperty(entry, 'object', {
            configurable: true,
            get: () => {
              counted.reads += 1;
              return JSON.parse(entry.text) as KubeObject;
            },
          }),
        ),
    },
  };
  return counted;
}

test('services are read when they are stored, and not again for each new one', () => {
  const store = new Store();
  const counted = countReads(store);
  const services = new StoredServices(counted.store);
  const spec = { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'], ports: [{ port: 80, nodePort: 30_001 }] };
  const object: KubeObject = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'ns' }, spec };
  store.commit({ storageKey: 'services', key: 'ns/a', replaces: undefined, object });
  const expected = { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'], ports: [{ nodePort: 30_001 }] };
  expect(services.list()).toEqual([expect.objectContaining({ spec: { ...expected, healthCheckNodePort: 0 } })]);
  expect(services.list()).toHaveLength(1);
  expect(counted.reads).toBe(0);
});
