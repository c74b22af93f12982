import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectPlainly } from 'node:net';
import { Readable } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { type Clock, silentLogger, systemClock } from '../../src/base/index.ts';
import { eventually } from '../../test/support/index.ts';
import { webhookConfigurations } from './registration.ts';
import { startWebhookServer } from './server.ts';

const facts = {
  readConfigMap: () => Promise.resolve(undefined),
  readObjects: () => Readable.from([]),
  hasDependencies: () => Promise.resolve(false),
  listBundles: () => Readable.from([]),
  listDeployments: () => Readable.from([]),
  listPlatformOperators: () => Promise.resolve([]),
  offersFor: () => [],
  mayDo: () => Promise.resolve(true),
  isAbsent: () => Promise.resolve(false),
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
    // Each sleep lasts a day, whatever its duration.
    sleep: (_ms, options) =>
      new Promise((resolve, reject) => {
        wakers.push(() => {
          nowMs += 86_400_000;
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

test('the shutdown does not wait for an open connection without a request', async () => {
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0 };
  const server = await startWebhookServer({ ...options, clock: systemClock });
  const socket = connect({ host: '127.0.0.1', port: server.port, ca: server.caBundlePem() });
  await once(socket, 'secureConnect');
  // Only a client that reads sees the end of the connection, with or without an error.
  const closed = once(socket.on('error', () => undefined).resume(), 'close');
  await server[Symbol.asyncDispose]();
  await closed;
});

/** One review on the kept-alive connection of an agent. */
async function review(agent: Agent, { port, ca }: { readonly port: number; readonly ca: string }): Promise<number> {
  const body = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      operation: 'CREATE',
      namespace: 'elsewhere',
      name: 'x',
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'elsewhere' } },
    },
  });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const path = '/validate-core-v1-configmap';
  const call = request({ host: '127.0.0.1', port, ca, path, method: 'POST', headers, agent });
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode ?? 0;
}

test('slow clients from many addresses take no connection from an API server, neither a kept-alive one nor a new one', async () => {
  const connectionLimits = { maxConnections: 40, maxPerPeer: 12, firstRequestMs: 60_000, requestMs: 60_000 };
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0, connectionLimits };
  await using server = await startWebhookServer({ ...options, clock: systemClock });
  const at = { port: server.port, ca: server.caBundlePem() };
  using stack = new DisposableStack();
  const newAgent = (): Agent => stack.adopt(new Agent({ keepAlive: true, maxSockets: 1 }), (agent) => agent.destroy());
  const agent = newAgent();
  expect(await review(agent, at)).toBe(200);
  const [socket] = Object.values(agent.freeSockets).flat();
  for (let peer = 2; peer < 8; peer += 1) {
    const slow = Array.from({ length: 12 }, async (_, index) => {
      const localAddress = `127.0.0.${peer}`;
      const plain = stack.adopt(connectPlainly({ port: at.port, host: '127.0.0.1', localAddress }), (one) =>
        one.destroy(),
      );
      plain.on('error', () => undefined);
      await once(plain, 'connect');
      if (index % 2 === 0) return;
      const tls = connect({ socket: plain, ca: at.ca, servername: 'localhost' }).on('error', () => undefined);
      await Promise.race([once(tls, 'secureConnect'), once(plain, 'close')]);
      tls.write('POST /validate-core-v1-configmap HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n');
    });
    await Promise.all(slow);
  }
  expect(await review(agent, at)).toBe(200);
  expect(Object.values(agent.freeSockets).flat()).toEqual([socket]);
  expect(await review(newAgent(), at)).toBe(200);
});

test('Q25 the configurations name each webhook, the configured system namespace, where it is and which authority to trust', async () => {
  const applied = webhookConfigurations({
    address: { origin: 'https://127.0.0.1:9443' },
    caBundlePem: 'PEM',
    systemNamespace: 'sys',
  });
  const webhooks = applied[0]?.webhooks ?? [];
  expect(webhooks.map(({ name }) => name)).toEqual([
    'vbundles.core.rukpak.io',
    'vbundledeployments.core.rukpak.io',
    'vconfigmaps.core.rukpak.io',
    'vplatformoperators.platform.openshift.io',
    'vclusterextensions.olm.operatorframework.io',
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

test('a client that connects and sends nothing does not delay the shutdown', async () => {
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0 };
  const server = await startWebhookServer({ ...options, clock: systemClock });
  const silent = connect({ host: '127.0.0.1', port: server.port, ca: server.caBundlePem() });
  silent.on('error', () => undefined);
  await once(silent, 'secureConnect');
  await server[Symbol.asyncDispose]();
});

test('a draining server answers and closes connections; open requests are answered before it stops', async () => {
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

test('old TLS versions and endless headers get no response', async () => {
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0 };
  await using server = await startWebhookServer({ ...options, clock: systemClock });
  const { port } = server;
  const ca = server.caBundlePem();
  const old = connect({ host: '127.0.0.1', port, ca, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' });
  const [refusal] = (await once(old, 'error')) as [Error & { code: string }];
  expect(refusal.code).toMatch(/^ERR_SSL_|ECONNRESET/);
  const status = await new Promise<number | undefined>((resolve) => {
    const headers = { 'x-many': 'x'.repeat(20_000) };
    const call = request({ host: '127.0.0.1', port, ca, path: '/x', agent: false, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', () => resolve(undefined));
    call.end();
  });
  expect([431, undefined]).toContain(status);
});

test('a silent client does not take a connection from others', async () => {
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

test('a body in very many parts ends its connection before all of it is in memory', async () => {
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0 };
  await using server = await startWebhookServer({ ...options, clock: systemClock });
  const socket = connect({ host: '127.0.0.1', port: server.port, ca: server.caBundlePem() });
  const answered: string[] = [];
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => answered.push(chunk.toString()));
  const head = 'POST /validate-core-rukpak-io-v1alpha1-bundle HTTP/1.1\r\nhost: a\r\ncontent-type: application/json';
  socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(100_000)}0\r\n\r\n`);
  // `once` would reject when the connection is reset.
  await new Promise((resolve) => socket.once('close', resolve));
  expect(answered).toEqual([]);
});

test('very many bodies that never end do not fill the memory, and others are answered', async () => {
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0 };
  const connectionLimits = { maxConnections: 100, maxPerPeer: 100 };
  await using server = await startWebhookServer({ ...options, clock: systemClock, connectionLimits });
  const { port } = server;
  const ca = server.caBundlePem();
  const path = '/validate-core-rukpak-io-v1alpha1-bundle';
  const part = ' '.repeat(6 * 1024 * 1024);
  const head = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${part.length + 1}`;
  const open = new Set(Array.from({ length: 16 }, () => connect({ host: '127.0.0.1', port, ca })));
  for (const socket of open) {
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
    socket.resume().write(`${head}\r\n\r\n${part}`);
  }
  await eventually(() => expect(open.size).toBeLessThan(11));
  expect(open.size).toBeGreaterThan(4);
  const status = await new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const call = request({ host: '127.0.0.1', port, ca, path, headers, method: 'POST', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject);
    const review = { uid: 'u', operation: 'DELETE' };
    call.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: review }));
  });
  expect(status).toBe(200);
  for (const socket of open) socket.destroy();
});

test('large reviews of one API server, many at a time, are all answered', { tags: 'long' }, async () => {
  const options = { facts, systemNamespace: 's', log: silentLogger(), host: '127.0.0.1', port: 0 };
  await using server = await startWebhookServer({ ...options, clock: systemClock });
  const { port } = server;
  const ca = server.caBundlePem();
  const path = '/validate-core-rukpak-io-v1alpha1-bundle';
  const review = { uid: 'u', operation: 'DELETE', oldObject: { text: 'x'.repeat(6 * 1024 * 1024) } };
  const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: review });
  const answer = async (): Promise<number | undefined> =>
    await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const call = request({ host: '127.0.0.1', port, ca, path, headers, method: 'POST', agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      call.on('error', reject);
      call.end(body);
    });
  const answers = await Promise.all(Array.from({ length: 16 }, answer));
  expect(answers).toEqual(answers.map(() => 200));
});
