import { once } from 'node:events';
import { request } from 'node:https';
import { connect as connectPlainly } from 'node:net';
import { Readable } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { type Clock, silentLogger, systemClock } from '../src/base/index.ts';
import { eventually } from '../test/support/index.ts';
import { registerWebhooks, startWebhookServer, type WebhookConfiguration } from './index.ts';

const facts = {
  readConfigMap: () => Promise.resolve(undefined),
  readObjects: () => Readable.from([]),
  hasDependencies: () => Promise.resolve(false),
  listBundles: () => Promise.resolve([]),
  listDeployments: () => Promise.resolve([]),
  listPlatformOperators: () => Promise.resolve([]),
  offersFor: () => [],
  mayDo: () => Promise.resolve(true),
  servesApi: () => Promise.resolve(false),
};

async function serialOf(port: number, ca: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, ca, path: '/x', agent: false }, (response) => {
      response.resume();
      resolve((response.socket as TLSSocket).getPeerCertificate().serialNumber);
    });
    call.on('error', reject);
    call.end();
  });
}

test('the server makes its own certificate and replaces it before it runs out, without a restart', async () => {
  const wakers: (() => void)[] = [];
  let nowMs = Date.now() - 2 * 86_400_000;
  const clock: Clock = {
    now: () => nowMs,
    sleep: (ms, options) =>
      new Promise((resolve, reject) => {
        wakers.push(() => {
          nowMs += ms;
          resolve();
        });
        options?.signal?.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  };
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0, lifetimeDays: 3 };
  await using server = await startWebhookServer({ ...options, clock });
  const first = await serialOf(server.port, server.caBundlePem());
  for (let day = 1; day <= 2; day++) {
    await eventually(() => expect(wakers.length).toBe(day));
    wakers[day - 1]?.();
  }
  await eventually(async () => expect(await serialOf(server.port, server.caBundlePem())).not.toBe(first));
});

test('closing does not wait for a connection that was opened and not used yet', async () => {
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0 };
  const server = await startWebhookServer({ ...options, clock: systemClock });
  const socket = connect({ host: '127.0.0.1', port: server.port, ca: server.caBundlePem() });
  await once(socket, 'secureConnect');
  // The server's end is seen by those who read; how it comes does not matter.
  const closed = once(socket.on('error', () => undefined).resume(), 'close');
  await server[Symbol.asyncDispose]();
  await closed;
});

test('Q25 the configurations name each webhook, the configured system namespace, where it is and which authority to trust', async () => {
  const applied: WebhookConfiguration[] = [];
  await registerWebhooks(
    (configuration) => {
      applied.push(configuration);
      return Promise.resolve();
    },
    { address: { origin: 'https://127.0.0.1:9443' }, caBundlePem: 'PEM', systemNamespace: 'sys' },
  );
  const webhooks = applied[0]?.webhooks ?? [];
  expect(webhooks.map(({ name }) => name)).toEqual([
    'vbundles.core.rukpak.io',
    'vbundledeployments.core.rukpak.io',
    'vconfigmaps.core.rukpak.io',
    'vplatformoperators.platform.openshift.io',
  ]);
  expect(webhooks[2]).toMatchObject({
    clientConfig: { url: 'https://127.0.0.1:9443/validate-core-v1-configmap', caBundle: 'UEVN' },
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    timeoutSeconds: 10,
    sideEffects: 'None',
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'sys' } },
  });
  expect(applied[1]).toMatchObject({
    metadata: { name: 'crd-validation-webhook' },
    webhooks: [
      {
        name: 'webhook.crdvalidator.io',
        clientConfig: { url: 'https://127.0.0.1:9443/validate-crd' },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        objectSelector: { matchLabels: { 'core.rukpak.io/owner-kind': 'BundleDeployment' } },
        rules: [
          {
            apiGroups: ['apiextensions.k8s.io'],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['customresourcedefinitions'],
            scope: '*',
          },
        ],
      },
    ],
  });
});

test('a client that connects and never asks does not hold up the end', async () => {
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0 };
  const server = await startWebhookServer({ ...options, clock: systemClock });
  const silent = connect({ host: '127.0.0.1', port: server.port, ca: server.caBundlePem() });
  silent.on('error', () => undefined);
  await once(silent, 'secureConnect');
  await server[Symbol.asyncDispose]();
});

test('while it drains it answers, and asks for other connections; what is being answered is answered before it ends', async () => {
  const asked = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  const readConfigMap = async (): Promise<undefined> => {
    asked.resolve();
    await mayAnswer.promise;
    return undefined;
  };
  const options = { facts: { ...facts, readConfigMap }, systemNamespace: 's', log: silentLogger() };
  const server = await startWebhookServer({ ...options, host: '127.0.0.1', port: 0, clock: systemClock });
  server.drain();
  const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'c' } }] };
  const object = {
    apiVersion: 'core.rukpak.io/v1alpha1',
    kind: 'Bundle',
    metadata: { name: 'b' },
    spec: { provisionerClassName: 'core-rukpak-io-plain', source },
  };
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', operation: 'CREATE', name: 'b', object },
  };
  const answer = new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
    const path = '/validate-core-rukpak-io-v1alpha1-bundle';
    const where = { host: '127.0.0.1', port: server.port, ca: server.caBundlePem(), path };
    const headers = { 'content-type': 'application/json', connection: 'keep-alive' };
    const call = request({ ...where, method: 'POST', agent: false, headers }, (reply) => {
      reply.resume();
      resolve({ status: reply.statusCode, connection: reply.headers.connection });
    });
    call.once('error', reject).end(JSON.stringify(review));
  });
  await asked.promise;
  const ended = server[Symbol.asyncDispose]();
  mayAnswer.resolve();
  expect(await answer).toEqual({ status: 200, connection: 'close' });
  await ended;
});

test('neither old TLS nor headers without end get an answer', async () => {
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0 };
  await using server = await startWebhookServer({ ...options, clock: systemClock });
  const { port } = server;
  const ca = server.caBundlePem();
  const old = connect({ host: '127.0.0.1', port, ca, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' });
  const [refusal] = (await once(old, 'error')) as [Error & { code: string }];
  expect(refusal.code).toMatch(/^ERR_SSL_|ECONNRESET/);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { 'x-many': 'x'.repeat(20_000) };
    const call = request({ host: '127.0.0.1', port, ca, path: '/x', agent: false, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject);
    call.end();
  });
  expect(status).toBe(431);
});

test('who connects and says nothing does not keep a connection from others', async () => {
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0 };
  await using server = await startWebhookServer({ ...options, clock: systemClock });
  const mute = connectPlainly({ host: '127.0.0.1', port: server.port });
  let isClosed = false;
  mute.on('error', () => undefined).resume();
  mute.once('close', () => {
    isClosed = true;
  });
  await eventually(() => expect(isClosed).toBe(true), { timeoutMs: 60_000 });
});
