import { expect, test } from 'vitest';
import { Connection } from '../../test/conformance/connection.ts';
import { longestShare } from '../../test/support/longest-share.ts';
import type { KubeObject } from '../core/index.ts';
import { type ApiServer, startApiServer } from '../index.ts';

const count = 20;
const writes = 50;
const path = '/api/v1/namespaces/default/configmaps';

/** The longest turn of lists that wait for a version and the writes that reach it, as a share of all that they take. */
async function shareOfWaitingLists(server: ApiServer, connection: Connection, round: string): Promise<number> {
  const create = async (name: string, data: Record<string, string> = {}): Promise<KubeObject> => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${round}-${name}` }, data };
    return (await server.client.create(object)) as KubeObject;
  };
  const created = await create('a', Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key-${at}`, ''])));
  // More than the server writes by itself after its start.
  const version = Number(created.metadata.resourceVersion) + writes;
  const query = `resourceVersion=${version}&resourceVersionMatch=NotOlderThan`;
  const headers = { accept: 'application/vnd.kubernetes.protobuf' };
  const lists = Array.from({ length: count }, () =>
    connection.ask({ method: 'GET', path: `${path}?${query}`, headers }),
  );
  // What is asked later is answered by then, and so they have begun to wait.
  for (let asked = 0; asked < count; asked += 1) await connection.ask({ method: 'GET', path: '/readyz', headers: {} });
  const writing = Promise.all(Array.from({ length: writes }, (_, index) => create(`b-${index}`)));
  const share = await longestShare(Promise.all([...lists, writing]));
  expect(new Set((await Promise.all(lists)).map(({ status }) => status))).toEqual(new Set([200]));
  return share;
}

test('very many lists that wait for the same version are not all answered in one turn', async () => {
  await using server = await startApiServer({ simulation: false });
  using connection = new Connection(server.kubeconfig);
  // A collection of garbage may fall into any turn.
  const shares: number[] = [];
  for (const round of ['first', 'second', 'third']) shares.push(await shareOfWaitingLists(server, connection, round));
  expect(Math.min(...shares)).toBeLessThan(0.25);
});
