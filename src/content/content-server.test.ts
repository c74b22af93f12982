import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { expect, test } from 'vitest';
import {
  type CertifiedKey,
  type Clock,
  createCertificateAuthority,
  createReplaceableCertificate,
  createServingCertificate,
  issueCertificate,
  type ReplaceableCertificate,
  type ServingPair,
  silentLogger,
  systemClock,
} from '../base/index.ts';
import { createMetrics } from '../metrics/index.ts';
import { type ContentServer, startContentServer } from './content-server.ts';

async function servingPair(): Promise<ServingPair> {
  return (await createServingCertificate({ clock: systemClock, commonName: 'content' })).current();
}

interface Started {
  readonly server: ContentServer;
  readonly serving: ReplaceableCertificate;
  readonly client: CertifiedKey;
}

/** A server with an authority for its clients, and a client of that. */
async function startForClients(clock: Clock): Promise<Started> {
  const validity = { nowMs: clock.now(), lifetimeDays: 1 };
  const authority = await createCertificateAuthority({ commonName: 'clients', ...validity });
  const client = await issueCertificate(authority, { commonName: 'reader', usage: 'client', ...validity });
  const serving = createReplaceableCertificate(await servingPair());
  const server = await startContentServer({
    clock,
    log: silentLogger(),
    metrics: createMetrics(),
    host: '127.0.0.1',
    port: 0,
    serving,
    clientCaPem: authority.certificatePem,
    access: {
      authenticate: ({ certificate }) =>
        Promise.resolve(certificate && { username: certificate.commonName, groups: [] }),
      isAllowed: ({ username }) => Promise.resolve(username === 'reader'),
    },
    fileOf: () => Promise.resolve(undefined),
    upload: () => Promise.resolve({ status: 201, text: '' }),
  });
  return { server, serving, client };
}

test('a renewed certificate is shown, and clients with certificates are still known then', async () => {
  const { server, serving, client } = await startForClients(systemClock);
  await using _ = server;
  const statusOf = async (ca: string): Promise<number | undefined> =>
    await new Promise((resolve, reject) => {
      const identity = { cert: client.certificatePem, key: client.privateKeyPem };
      const options = { host: '127.0.0.1', port: server.port, path: '/bundles/x.tgz', agent: false, ca, ...identity };
      const asked = request(options, (answer) => resolve(answer.resume().statusCode));
      asked.once('error', reject).end();
    });
  expect(await statusOf(serving.current().caBundlePem)).toBe(404);
  const next = await servingPair();
  serving.replace(next);
  expect(await statusOf(next.caBundlePem)).toBe(404);
});

test('a certificate that expires is worth nothing on a connection that stays open', async () => {
  let nowMs = Date.now();
  const { server, serving, client } = await startForClients({ ...systemClock, now: () => nowMs });
  await using _ = server;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const status = async (): Promise<number | undefined> => {
    const identity = { cert: client.certificatePem, key: client.privateKeyPem, ca: serving.current().caBundlePem };
    const sent = request({ host: '127.0.0.1', port: server.port, path: '/bundles/x.tgz', agent, ...identity }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    return answer.statusCode;
  };
  expect(await status()).toBe(404);
  nowMs += 2 * 86_400_000;
  expect(await status()).toBe(401);
  agent.destroy();
});

test('of tokens that are not valid few of a client are asked about, and one that was valid before still is', async () => {
  const serving = await createServingCertificate({ clock: systemClock, commonName: 'content' });
  let asked = 0;
  let nowMs = Date.now();
  await using server = await startContentServer({
    clock: { ...systemClock, now: () => nowMs },
    log: silentLogger(),
    metrics: createMetrics(),
    host: '127.0.0.1',
    port: 0,
    serving,
    access: {
      authenticate: ({ token }) => {
        asked += 1;
        return Promise.resolve(token?.startsWith('good') === true ? { username: 'reader', groups: [] } : undefined);
      },
      isAllowed: () => Promise.resolve(true),
    },
    fileOf: () => Promise.resolve(undefined),
    upload: () => Promise.resolve({ status: 201, text: '' }),
  });
  const ca = serving.current().caBundlePem;
  const statusWith = async (token: string): Promise<number | undefined> =>
    await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const options = { host: '127.0.0.1', port: server.port, path: '/bundles/x.tgz', agent: false, ca, headers };
      const sent = request(options, (answer) => resolve(answer.resume().statusCode));
      sent.once('error', reject).end();
    });
  expect(await statusWith('good-1')).toBe(404);
  const statuses: (number | undefined)[] = [];
  for (let index = 0; index < 30; index++) statuses.push(await statusWith(`guess-${index}`));
  expect([statuses.filter((status) => status === 401).length, statuses.at(-1)]).toEqual([20, 429]);
  expect(asked).toBe(21);
  expect([await statusWith('good-1'), await statusWith('good-2')]).toEqual([404, 429]);
  nowMs += 61_000;
  expect(await statusWith('good-2')).toBe(404);
});
