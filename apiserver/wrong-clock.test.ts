import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../src/base/index.ts';
import { Connection } from '../test/conformance/connection.ts';
import { eventually } from '../test/support/index.ts';
import { startApiServer } from './index.ts';

const json = { 'content-type': 'application/json' };
const secrets = '/api/v1/namespaces/default/secrets';

async function dataAt(connection: Connection, path: string): Promise<Record<string, string>> {
  const { body } = await connection.ask({ method: 'GET', path, headers: {} });
  return (body as { data?: Record<string, string> }).data ?? {};
}

test('a data folder that was begun by a clock ten years ahead starts at the right time, and all that names the authority follows', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wrong-clock-'));
  try {
    const ahead = { ...systemClock, now: () => systemClock.now() + 10 * 365 * 86_400_000 };
    let token = '';
    {
      await using server = await startApiServer({ dataDir, clock: ahead, simulation: false });
      const annotations = { 'kubernetes.io/service-account.name': 'default' };
      const client = server.client;
      await client.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'token', namespace: 'default', annotations },
        type: 'kubernetes.io/service-account-token',
      });
      token = await eventually(async () => {
        const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', name: 'token', namespace: 'default' });
        const data = (secret as { data?: Record<string, string> } | undefined)?.data;
        expect(data?.['token']).toBeDefined();
        return Buffer.from(data?.['token'] ?? '', 'base64').toString();
      });
    }
    await using server = await startApiServer({ dataDir, simulation: false });
    for (const kubeconfig of [server.kubeconfig, await server.kubeconfigFor('jane', ['system:masters'])]) {
      using connection = new Connection(kubeconfig);
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 'x-' } });
      expect((await connection.ask({ method: 'POST', path: secrets, headers: json, body })).status).toBe(201);
    }
    using connection = new Connection(server.kubeconfig);
    const pem = server.caCertificatePem;
    await eventually(async () => {
      const root = await dataAt(connection, '/api/v1/namespaces/default/configmaps/kube-root-ca.crt');
      expect(root['ca.crt']).toBe(pem);
      const clients = await dataAt(
        connection,
        '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
      );
      expect(clients['client-ca-file']).toBe(pem);
      const held = await dataAt(connection, `${secrets}/token`);
      expect(Buffer.from(held['ca.crt'] ?? '', 'base64').toString()).toBe(pem);
      expect(Buffer.from(held['token'] ?? '', 'base64').toString()).toBe(token);
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
