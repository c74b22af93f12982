import { expect, test } from 'vitest';
import { sampleCrd } from '../test/support/sample-crd.ts';
import type { Cluster, KubeObject } from './core/index.ts';
import { install } from './first-objects.ts';
import { startApiServer } from './index.ts';

test('a definition whose status is written while the server starts is brought up to date all the same', async () => {
  const crd = sampleCrd([{ name: 'v1', schema: { type: 'object' } }]) as unknown as KubeObject;
  const server = await startApiServer({ simulation: false });
  const { cluster } = server;
  const type = cluster.resource('apiextensions.k8s.io', 'customresourcedefinitions');
  if (type === undefined) throw new Error('definitions are not served');
  const key = { namespace: '', name: crd.metadata.name ?? '' };
  await install(cluster, type, crd);
  let overtakings = 0;
  const overtaken = {
    get: (...about: Parameters<Cluster['get']>) => cluster.get(...about),
    update: async (...about: Parameters<Cluster['update']>) => {
      overtakings += 1;
      const annotations = { overtaken: String(overtakings) };
      if (overtakings < 3) await cluster.patch(type, key, { metadata: { annotations } }, { as: 'other' });
      return await cluster.update(...about);
    },
  } as unknown as Cluster;
  await install(overtaken, type, {
    ...crd,
    spec: { ...(crd['spec'] as object), names: { kind: 'Sample', plural: 'samples', shortNames: ['sa'] } },
  });
  expect(overtakings).toBe(3);
  expect(cluster.get(type, key)?.metadata.annotations).toEqual({ overtaken: '2' });
  expect(cluster.get(type, key)?.['spec']).toMatchObject({ names: { shortNames: ['sa'] } });
  await server.stop();
});
