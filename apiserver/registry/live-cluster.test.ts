import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../index.ts';

const count = 100;

/** By how many objects the number of those in a namespace differs at most from one turn of the event loop to the next. */
async function mostInOneTurn(server: ApiServer, plural: string, isDone: (found: number) => boolean): Promise<number> {
  const type = server.cluster.resource('', plural);
  if (type === undefined) throw new Error(`${plural} are not served`);
  let most = 0;
  for (let before = server.cluster.count(type, { namespace: 'default' }); !isDone(before); ) {
    await nextTurn();
    const now = server.cluster.count(type, { namespace: 'default' });
    most = Math.max(most, Math.abs(now - before));
    before = now;
  }
  return most;
}

test('a controller that writes very many objects gives others a turn', async () => {
  await using server = await startApiServer();
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } };
  const spec = { replicas: count, selector: { matchLabels: labels }, template };
  await server.client.create({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web' }, spec });
  expect(await mostInOneTurn(server, 'pods', (found) => found === count)).toBeLessThan(count / 2);
});

test('so does the deletion of a collection', { tags: 'long' }, async () => {
  await using server = await startApiServer({ simulation: false });
  // So many keys that a deletion takes some time.
  const data = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key-${index}`, '']));
  for (let made = 0; made < count; made += 1) {
    const metadata = { name: `a-${made}` };
    await server.client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  }
  const deletion = server.client.request({ method: 'DELETE', path: '/api/v1/namespaces/default/configmaps' });
  expect(await mostInOneTurn(server, 'configmaps', (found) => found < 2)).toBeLessThan(count / 2);
  expect((await deletion).status).toBe(200);
});

test('others have turns between the steps of a write from inside', async () => {
  await using server = await startApiServer({ simulation: false });
  const data = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`key-${index}`, '']));
  await server.client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large' }, data });
  const type = server.cluster.resource('', 'configmaps');
  if (type === undefined) throw new Error('configmaps are not served');
  let isDone = false;
  const key = { namespace: 'default', name: 'large' };
  const patch = server.cluster.patch(type, key, { data: { more: '' } }, { as: 'system:apiserver' }).finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns += 1) await nextTurn();
  await patch;
  // Without them the write, which takes some hundred milliseconds, is stored in the first.
  expect(turns).toBeGreaterThan(3);
});
