import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { eventually, freePort } from '../support/index.ts';

const token = 'the-same-token-before-and-after';

test('W153 an informer of @kubernetes/client-node sees everything over a restart of the server', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'longshore-informer-'));
  const port = await freePort();
  const start = (): ReturnType<typeof startApiServer> => startApiServer({ dataDir, port, token });
  let server = await start();
  try {
    const config = new KubeConfig();
    config.loadFromString(server.kubeconfig);
    const api = config.makeApiClient(CoreV1Api);
    const path = '/api/v1/namespaces/default/configmaps';
    const cache = new Map<string, string>();
    const keep = ({ metadata, data }: V1ConfigMap): unknown => cache.set(metadata?.name ?? '', data?.['value'] ?? '');
    const informer = makeInformer<V1ConfigMap>(config, path, () =>
      api.listNamespacedConfigMap({ namespace: 'default' }),
    );
    informer.on('add', keep);
    informer.on('update', keep);
    informer.on('delete', ({ metadata }) => cache.delete(metadata?.name ?? ''));
    // An informer stops on errors: a client that continues starts it again.
    let isRunning = true;
    informer.on('error', () => {
      if (isRunning) setTimeout(() => void informer.start().catch(() => undefined), 100);
    });
    await informer.start();
    const write = async (name: string, value: string): Promise<void> => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } };
      await server.client.apply({ ...object, data: { value } }, { fieldManager: 'test', force: true });
    };
    await write('kept', '1');
    await write('changed', '1');
    await write('deleted', '1');
    await eventually(() => expect([cache.get('kept'), cache.get('deleted')]).toEqual(['1', '1']));
    await server.stop();
    server = await start();
    await write('changed', '2');
    await write('new', '1');
    await server.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'deleted' });
    await eventually(() => {
      cache.delete('kube-root-ca.crt');
      expect(Object.fromEntries(cache)).toEqual({ kept: '1', changed: '2', new: '1' });
    });
    isRunning = false;
    await informer.stop();
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('the typed clients of @kubernetes/client-node read and write', async () => {
  await using server = await startApiServer();
  const config = new KubeConfig();
  config.loadFromString(server.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const body = { metadata: { name: 'typed' }, data: { a: 'b' } };
  const made = await api.createNamespacedConfigMap({ namespace: 'default', body });
  expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
  await api.replaceNamespacedConfigMap({
    name: 'typed',
    namespace: 'default',
    body: { metadata: { name: 'typed' }, data: { a: 'c' } },
  });
  const { items } = await api.listNamespacedConfigMap({ namespace: 'default', fieldSelector: 'metadata.name=typed' });
  expect(items.map(({ data }) => data)).toEqual([{ a: 'c' }]);
  await api.deleteNamespacedConfigMap({ name: 'typed', namespace: 'default' });
  await expect(api.readNamespacedConfigMap({ name: 'typed', namespace: 'default' })).rejects.toThrow('404');
});
