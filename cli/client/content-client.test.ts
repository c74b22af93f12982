import { expect, test } from 'vitest';
import type { KubeClient } from '../../src/kube/index.ts';
import { contentClientOf } from './index.ts';

test('with a kubeconfig that impersonates a user, the content server is not asked as the user of its credentials', async () => {
  const get = (): Promise<unknown> => Promise.resolve({ data: {} });
  const kube = { get } as unknown as KubeClient;
  const headers = (): Promise<Record<string, string>> => Promise.reject(new Error('credentials were read'));
  const access = { server: 'https://127.0.0.1:1', tls: () => Promise.resolve({}), headers, actingAs: { user: 'jane' } };
  const client = contentClientOf({ access, kube, namespace: 'rukpak-system', secretName: 'rukpak-ca' });
  const { signal } = new AbortController();
  await expect(client.open({ url: 'https://127.0.0.1:1/contents/a.tgz', signal })).rejects.toThrow(
    'the content server does not support impersonation ("as: jane" in the kubeconfig)',
  );
});
