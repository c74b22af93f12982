import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/index.ts';
import type { KubeObject } from '../../core/index.ts';
import { backendsOf, portGroupsOf } from './pod-addresses.ts';

const podWith = (...ports: readonly JsonObject[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ ports: [...ports] }] },
  status: { phase: 'Running', podIP: '10.0.0.1' },
});
const serviceWith = (ports: readonly JsonObject[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { ports: [...ports] },
});

test('pods whose named ports are the same are one group, whatever else they name and in whatever order', () => {
  const service = serviceWith([
    { name: 'web', port: 80, targetPort: 'web' },
    { name: 'admin', port: 81, targetPort: 'admin' },
    { name: 'fixed', port: 82 },
  ]);
  const [web, admin] = [
    { name: 'web', containerPort: 8080 },
    { name: 'admin', containerPort: 8081 },
  ];
  const pods = [podWith(web, admin), podWith({ name: 'other', containerPort: 1 }, admin, web), podWith(web)];
  const groups = portGroupsOf(service, backendsOf(pods));
  expect(groups.map(({ ports, backends }) => [ports.map(({ port }) => port), backends.length])).toEqual([
    [[8080, 8081, 82], 2],
    [[8080, 82], 1],
  ]);
});

test.each([
  ['all of the pods', 5, 1000],
  ['the first of the pods', 10_000, 5],
])('%s that give names other numbers each are groups, where a Service has %d ports', (_which, ports, groups) => {
  const service = serviceWith(
    Array.from({ length: ports }, (_, at) => ({ name: `p${at}`, port: at + 1, targetPort: 'a' })),
  );
  const pods = Array.from({ length: 1000 }, (_, at) => podWith({ name: 'a', containerPort: at + 1 }));
  expect(portGroupsOf(service, backendsOf(pods))).toHaveLength(groups);
});
