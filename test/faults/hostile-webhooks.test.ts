import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import type { KubeObject } from '../../apiserver/core/index.ts';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { createCertificateAuthority, issueCertificate } from '../../src/base/index.ts';
import { Connection } from '../conformance/connection.ts';
import { eventually } from '../support/index.ts';

interface HostileServer extends AsyncDisposable {
  readonly url: string;
  readonly caBundle: string;
}

type Answer = (response: ServerResponse, uid: string, objects: readonly { metadata: object }[]) => void | Promise<void>;

async function startHook(answer: Answer): Promise<HostileServer> {
  const nowMs = Date.now();
  const authority = await createCertificateAuthority({ commonName: 'hooks', nowMs, lifetimeDays: 1 });
  const request = { commonName: '127.0.0.1', usage: 'server' as const, ipAddresses: ['127.0.0.1'], nowMs };
  const serving = await issueCertificate(authority, { ...request, lifetimeDays: 1 });
  const server = createServer({ cert: serving.certificatePem, key: serving.privateKeyPem }, (incoming, response) => {
    let text = '';
    incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
    incoming.on('end', () => {
      const review = JSON.parse(text) as { request: { uid: string; objects?: { metadata: object }[] } };
      void answer(response, review.request.uid, review.request.objects ?? []);
    });
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    caBundle: Buffer.from(authority.certificatePem).toString('base64'),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes as fast as it is read. */
function flood(response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024, ' ');
  const write = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', write);
  write();
}

const review = (uid: string, message: string): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: false, status: { message } },
  });

const answers: Readonly<Record<string, Answer>> = {
  'never answers': () => undefined,
  'never ends its headers': (response) => void response.socket?.write('HTTP/1.1 200 OK\r\nx-a: b\r\n'),
  'answers 100 Continue again and again': (response) => {
    const timer = setInterval(() => response.socket?.write('HTTP/1.1 100 Continue\r\n\r\n'), 20);
    response.socket?.once('close', () => clearInterval(timer));
  },
  'answers a byte now and then': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(timer));
  },
  'answers without end': (response) => flood(response.writeHead(200, { 'content-type': 'application/json' })),
  'answers headers without end': (response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => response.socket?.write(`x-a: ${'b'.repeat(8000)}\r\n`), 5);
    response.socket?.once('close', () => clearInterval(timer));
  },
  'answers deep JSON': (response) => void response.end('['.repeat(4_000_000)),
  'refuses with megabytes': (response, uid) => void response.end(review(uid, 'no '.repeat(1_300_000))),
};

async function registerHook(
  { client }: ApiServer,
  { url, caBundle }: HostileServer,
  { kind = 'ValidatingWebhookConfiguration', timeoutSeconds = 1 } = {},
): Promise<void> {
  await client.create({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'hostile' },
    webhooks: [
      {
        name: 'hostile.example.com',
        clientConfig: { url, caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['secrets'] }],
        sideEffects: 'None',
        timeoutSeconds,
        admissionReviewVersions: ['v1'],
      },
    ],
  });
}

test.each(Object.keys(answers))('an admission webhook that %s fails the request, and no other', async (name) => {
  await using hook = await startHook((response, uid, objects) => answers[name]?.(response, uid, objects));
  await using server = await startApiServer({ simulation: false });
  await registerHook(server, hook);
  const create = (kind: string) => server.client.create({ apiVersion: 'v1', kind, metadata: { name: 'one' } });
  const refused = create('Secret').then(
    () => 'created',
    (thrown: unknown) => String(thrown),
  );
  await create('ConfigMap');
  expect(await refused).toContain('webhook "hostile.example.com"');
});

test('an admission webhook that allows the request with very many small values fails it', async () => {
  await using hook = await startHook((response, uid) => {
    const allowed = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
    response.end(JSON.stringify(allowed).replace('{', `{"values":[${'1,'.repeat(600_000)}1],`));
  });
  await using server = await startApiServer({ simulation: false });
  await registerHook(server, hook, { timeoutSeconds: 30 });
  const created = server.client.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } });
  await expect(created).rejects.toThrow('webhook response: more than 500000 values');
});

test('an answer of an admission webhook that arrives byte by byte is not held byte by byte', async () => {
  const spaces = Buffer.from('1\r\n \r\n'.repeat(50_000));
  await using hook = await startHook((response, uid) => {
    const text = review(uid, 'byte by byte');
    response.socket?.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n');
    response.socket?.write(spaces);
    response.socket?.write(`${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`);
  });
  await using server = await startApiServer({ simulation: false });
  await registerHook(server, hook, { timeoutSeconds: 30 });
  const joined = vi.spyOn(Buffer, 'concat');
  const created = server.client.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } });
  await expect(created).rejects.toThrow('byte by byte');
  const most = Math.max(...joined.mock.calls.map(([list]) => list.length));
  joined.mockRestore();
  expect(most).toBeGreaterThan(1000);
  expect(most).toBeLessThanOrEqual(1024);
});

test('a webhook may list large objects as the user whose large writes wait for it', async () => {
  await using server = await startApiServer({ simulation: false });
  using connection = new Connection(server.kubeconfig);
  const at = '/api/v1/namespaces/default';
  const send = async (kind: string, name: string): Promise<number> => {
    const body = JSON.stringify({ metadata: { name, annotations: { a: 'x'.repeat(50_000) } } });
    const headers = { 'content-type': 'application/json' };
    return (await connection.ask({ method: 'POST', path: `${at}/${kind}`, headers, body })).status;
  };
  await using hook = await startHook(async (response, uid) => {
    const { status } = await connection.ask({ method: 'GET', path: `${at}/configmaps`, headers: {} });
    const allowed = { uid, allowed: status === 200 };
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: allowed }));
  });
  expect(await send('configmaps', 'large')).toBe(201);
  await registerHook(server, hook, { timeoutSeconds: 10 });
  const statuses = await Promise.all(Array.from({ length: 8 }, (_, index) => send('secrets', `s-${index}`)));
  expect(new Set(statuses)).toEqual(new Set([201]));
});

const things = 80;

function definition({ url, caBundle }: HostileServer): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: ['v1'] },
      },
    },
  };
}

async function createDefinition({ client }: ApiServer, hook: HostileServer): Promise<void> {
  await client.create(definition(hook) as KubeObject);
  await eventually(async () => {
    const crd = await client.get({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'things.example.com',
    });
    expect(JSON.stringify(crd)).toContain('"type":"Established"');
  });
}

/** An answer with the objects in version v2. */
function converted(uid: string, objects: readonly object[], filling = ''): string {
  const convertedObjects = objects.map((object) => ({ ...object, apiVersion: 'example.com/v2', filling }));
  const response = { uid, result: { status: 'Success' }, convertedObjects };
  return JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response });
}

test('events that wait for a slow conversion webhook are not held: the watch ends where one is forgotten', async () => {
  const released = Promise.withResolvers<void>();
  await using hook = await startHook((response, uid, objects) => {
    void released.promise.then(() => response.end(converted(uid, objects)));
  });
  await using server = await startApiServer({ simulation: false });
  using connection = new Connection(server.kubeconfig);
  await createDefinition(server, hook);
  const changing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a', namespace: 'default' } };
  const created: KubeObject = await server.client.create({ ...changing, value: 'x'.repeat(2_500_000) });
  const query = `?watch=true&resourceVersion=${created.metadata.resourceVersion}`;
  const path = `/apis/example.com/v2/namespaces/default/things${query}`;
  const events = await connection.open({ method: 'GET', path, headers: {} });
  const changes = 60;
  for (let turn = 0; turn < changes; turn += 1) {
    await server.client.patch(changing, { metadata: { annotations: { turn: String(turn) } } });
  }
  released.resolve();
  const lines = (await textOf(events)).trimEnd().split('\n');
  expect(lines.length).toBeLessThan(changes / 2);
  expect(lines.at(-1)).toContain('"code":410');
});

test('a conversion webhook that makes megabytes of each small object does not fill the memory with a list', {
  tags: 'long',
}, async () => {
  await using hook = await startHook((response, uid, objects) => {
    response.end(converted(uid, objects, 'x'.repeat(3_900_000)));
  });
  await using server = await startApiServer({ simulation: false });
  const { client } = server;
  await createDefinition(server, hook);
  for (let turn = 0; turn < things; turn += 1) {
    await client.create({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: `thing-${turn}` } });
  }
  const second = { apiVersion: 'example.com/v2', kind: 'Thing', namespace: 'default' };
  await expect(client.list(second)).rejects.toThrow('request fewer at a time');
  // One alone is served.
  expect(await client.get({ ...second, name: 'thing-0' })).toMatchObject({ apiVersion: 'example.com/v2' });
});

const movedTo = (uid: string, namespace: string): string => {
  const patch = [{ op: 'replace', path: '/metadata/namespace', value: namespace }];
  const response = {
    uid,
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
  };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
};

test('a mutating webhook cannot move an object to another namespace', async () => {
  await using hook = await startHook((response, uid) => void response.end(movedTo(uid, 'kube-system')));
  await using server = await startApiServer({ simulation: false });
  const { client } = server;
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'before', namespace: 'default' } };
  await client.create(object);
  await registerHook(server, hook, { kind: 'MutatingWebhookConfiguration' });
  const moved = { ...object, metadata: { ...object.metadata, name: 'moved' } };
  await expect(client.create(moved)).rejects.toThrow('does not match the namespace sent on the request');
  await expect(client.patch(object, { metadata: { labels: { a: 'b' } } })).rejects.toThrow('metadata.namespace');
  expect((await client.list({ apiVersion: 'v1', kind: 'Secret' })).map(({ metadata }) => metadata.name)).toEqual([
    'before',
  ]);
});
