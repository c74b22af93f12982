import { expect, test } from 'vitest';
import { openBareCluster } from '../../test/support/index.ts';
import { silentLogger, systemClock } from '../base/index.ts';
import { createKindCache, type KubeObject, refOf, writeStatus } from './index.ts';

test('a status is not written to another object that has the name by now', async () => {
  await using cluster = await openBareCluster();
  const { kube } = cluster;
  using stopper = disposableController();
  const { signal } = stopper;
  const resource = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' };
  const cache = createKindCache({ resource, kube, clock: systemClock, log: silentLogger(), signal });
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const spec = { selector: { matchLabels: { app: 'a' } }, template };
  const metadata = { name: 'a', namespace: 'default' };
  const wanted = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec } as unknown as KubeObject;
  const first = await kube.create(wanted, { fieldManager: 'test' });
  await kube.delete(refOf(first));
  const second = await kube.create(wanted, { fieldManager: 'test' });
  const target = { kube, cache, fieldManager: 'test', signal };
  expect(await writeStatus(target, first, { replicas: 7 })).toBe(first);
  expect((await kube.get(refOf(second)))['status'] ?? {}).not.toHaveProperty('replicas');
  expect((await writeStatus(target, second, { replicas: 3 }))['status']).toMatchObject({ replicas: 3 });
});

function disposableController(): AbortController & Disposable {
  const controller = new AbortController();
  return Object.assign(controller, { [Symbol.dispose]: () => controller.abort() });
}
