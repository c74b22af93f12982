import { expect, test } from 'vitest';
import type { KubeObject } from '../../core/index.ts';
import { mirrorsOf } from './slices.ts';

test('of very many addresses in Endpoints, whose ports each slice repeats, a thousand are mirrored', () => {
  const addresses = Array.from({ length: 5000 }, (_, at) => ({ ip: `10.1.${at >> 8}.${at % 256}` }));
  const subsets = [{ addresses, ports: [{ port: 80 }] }, { notReadyAddresses: addresses.slice(0, 150) }];
  const endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'e' }, subsets } as unknown as KubeObject;
  const sizes = mirrorsOf(endpoints).map((slice) => slice.endpoints.length);
  expect(sizes).toEqual([...Array.from({ length: 10 }, () => 100), 100, 50]);
});
