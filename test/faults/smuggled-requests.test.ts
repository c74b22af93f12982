import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { eventually } from '../support/eventually.ts';
import { type ExtensionServer, startExtensionServer } from '../support/extension-server.ts';

const group = 'extension.example.com';
const own = `/apis/${group}/v1/namespaces/a/widgets`;
const others = `/apis/${group}/v1/namespaces/b/widgets`;

let extension: ExtensionServer;
let server: ApiServer;

beforeAll(async () => {
  extension = await startExtensionServer({ group, dnsNames: ['extension.default.svc'], ignoresUpgrades: true });
  server = await startApiServer();
  const external = { type: 'ExternalName', externalName: 'localhost' };
  await server.client.create({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'extension' }, spec: external });
  const spec = {
    group,
    version: 'v1',
    groupPriorityMinimum: 10,
    versionPriority: 10,
    service: { namespace: 'default', name: 'extension', port: extension.port },
    caBundle: extension.caBundle,
  };
  const service = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${group}` },
    spec,
  };
  await server.client.create(service);
  await server.client.until(service, (found) => JSON.stringify(found).includes('"Passed"'));
});
afterAll(async () => {
  await server.stop();
  await extension[Symbol.asyncDispose]();
});

async function open(): Promise<TLSSocket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port), ca: server.caCertificatePem });
  await once(socket, 'secureConnect');
  return socket.on('error', () => {});
}

/** The whole answer to a request of a user, of whom the extension server shall know no more than that. */
async function send(socket: TLSSocket, headers: string, body = ''): Promise<string> {
  const credentials = `Authorization: Bearer ${server.adminToken}\r\nImpersonate-User: ann\r\nImpersonate-Group: readers`;
  socket.write(`GET ${own}?timeout=1s HTTP/1.1\r\nHost: a\r\n${credentials}\r\n${headers}\r\n\r\n${body}`);
  let answer = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    answer += String(chunk);
    if (/(?:}\n|\r\n0\r\n\r\n)$/.test(answer)) return answer;
  }
  return answer;
}

async function allowReaders(): Promise<void> {
  const metadata = { name: 'readers' };
  const rules = [{ apiGroups: [group], resources: ['widgets'], verbs: ['list'] }];
  await server.client.create({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules });
  await server.client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'readers' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'readers' }],
  });
}

test('a body of a request to upgrade that never comes does not make another request of the body of the next one', async () => {
  await allowReaders();
  const smuggled = `GET ${others} HTTP/1.1\r\nHost: a\r\nX-Remote-User: admin\r\nX-Remote-Group: system:masters\r\n\r\n`;
  // Empty lines before a request are skipped, so that its head need not begin at the right place.
  const body = `${'\r\n'.repeat(600)}${smuggled}`;
  const sockets = await Promise.all(Array.from({ length: 8 }, open));
  // On all connections to the extension server.
  await Promise.all(
    sockets.slice(0, 4).map((socket) => send(socket, 'Connection: Upgrade\r\nUpgrade: a\r\nContent-Length: 700')),
  );
  await Promise.all(sockets.slice(4).map((socket) => send(socket, `Content-Length: ${body.length}`, body)));
  for (const socket of sockets) socket.destroy();
  expect(extension.requests.map(({ url }) => url)).not.toContain(others);
  expect(extension.requests.map(({ headers }) => headers['x-remote-user'])).not.toContain('admin');
});

test('a request that was answered before its body has come does not stay open at the extension server', async () => {
  const closed: string[] = [];
  extension.override = (request, response) => {
    if (request.method !== 'PUT') return false;
    request.socket.once('close', () => closed.push(request.complete ? 'complete' : 'cut off'));
    response.writeHead(403).end('{}\n');
    return true;
  };
  const socket = await open();
  const authorization = `Authorization: Bearer ${server.adminToken}`;
  socket.write(`PUT ${own}/a HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Length: 1000\r\n\r\n{`);
  await once(socket, 'data');
  socket.destroy();
  await eventually(() => expect(closed).toEqual(['cut off']));
});

describe('an extension server that switches to a protocol which was not requested', () => {
  let closed = 0;
  beforeEach(() => {
    closed = 0;
    extension.override = ({ method, socket }) => {
      if (method !== 'DELETE') return false;
      socket.once('close', () => (closed += 1));
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n');
      return true;
    };
  });

  test('leaves no connection open for a request of HTTP/2', async () => {
    const session = connectHttp2(server.url, { ca: server.caCertificatePem });
    const authorization = `Bearer ${server.adminToken}`;
    const stream = session.request({ ':method': 'DELETE', ':path': `${own}/a`, authorization });
    const [{ ':status': status }] = (await once(stream, 'response')) as [{ ':status': number }];
    session.destroy();
    expect(status).toBe(503);
    await eventually(() => expect(closed).toBe(1));
  });

  test('does not get the connection of a client of HTTP/1.1', async () => {
    const socket = await open();
    const authorization = `Authorization: Bearer ${server.adminToken}`;
    socket.write(`DELETE ${own}/a HTTP/1.1\r\nHost: a\r\n${authorization}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 503 /);
    await eventually(() => expect(closed).toBe(1));
  });
});
