import { expect, test } from 'vitest';
import { Connection } from '../../test/conformance/connection.ts';
import { longestShare } from '../../test/support/longest-share.ts';
import type { KubeObject } from '../core/index.ts';
import { startApiServer } from '../index.ts';

const count = 20;
const writes = 50;
const path = '/api/v1/namespaces/default/configmaps';

test('very many lists that wait for the same version are not all answered in one turn', async () => {
  await using server = await startApiServer({ simulation: false });
  using connection = new Connection(server.kubeconfig);
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key-${index}`, '']));
  const created = await server.client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data,
  });
  // More than the server writes by itself after its start.
  const version = Number((created as KubeObject).metadata.resourceVersion) + writes;
  const query = `resourceVersion=${version}&resourceVersionMatch=NotOlderThan`;
  const headers = { accept: 'application/vnd.kubernetes.protobuf' };
  const lists = Array.from({ length: count }, () =>
    connection.ask({ method: 'GET', path: `${path}?${query}`, headers }),
  );
  // What is asked later is answered by then, and so they have begun to wait.
  for (let asked = 0; asked < count; asked += 1) await connection.ask({ method: 'GET', path: '/readyz', headers: {} });
  const made = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  const writing = Promise.all(Array.from({ length: writes }, (_, index) => server.client.create(made(`b-${index}`))));
  expect(await longestShare(Promise.all([...lists, writing]))).toBeLessThan(0.25);
  expect(new Set((await Promise.all(lists)).map(({ status }) => status))).toEqual(new Set([200]));
});
