import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../test/support/index.ts';
import { connectSpdy, connectWebSocket, type PortForwardTarget, type SpdyClient } from '../test/support/spdy-client.ts';
import { controlFrame, frameTypes, words } from './http/port-forward/spdy-frames.ts';
import { type ApiServer, type KubeObject, startApiServer } from './index.ts';

const podPort = 8080;
let server: ApiServer;
let echo: Server;
let registration: Disposable;
const accepted: Socket[] = [];
let byteCount = 0;

async function createPod(name: string): Promise<string> {
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec };
  return (await server.client.create(pod as unknown as KubeObject)).metadata.uid ?? '';
}

function listen(uid: string): Disposable {
  return server.listenForPod(
    uid,
    new Map([[podPort, { host: '127.0.0.1', port: (echo.address() as AddressInfo).port }]]),
  );
}

function target(pod: string, as?: string): PortForwardTarget {
  const url = `${server.url}/api/v1/namespaces/default/pods/${pod}/portforward`;
  return { url, token: server.adminToken, ...(as === undefined ? {} : { as }) };
}

beforeAll(async () => {
  server = await startApiServer({ simulation: false });
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      byteCount += chunk.length;
    });
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  registration = listen(await createPod('echo'));
  await createPod('plain');
});

afterAll(async () => {
  registration[Symbol.dispose]();
  await server.stop();
  echo.close();
});

const clients: readonly [string, (to: PortForwardTarget) => Promise<SpdyClient>][] = [
  ['SPDY/3.1', connectSpdy],
  ['a WebSocket', connectWebSocket],
];

describe.each(clients)('over %s', (_name, connect) => {
  test('connections reach the program behind the pod, side by side, and end with it', async () => {
    using client = await connect(target('echo'));
    const large = Buffer.alloc(512 * 1024, 'abc');
    const [one, two] = [await client.open(podPort), await client.open(podPort)];
    client.send(one, large, true);
    client.send(two, Buffer.from('hello'));
    await eventually(() => expect(two.data.toString()).toBe('hello'));
    await eventually(() => expect(one.ends).toEqual(expect.arrayContaining(['data fin', 'error fin'])));
    expect(one.data.equals(large)).toBe(true);
    expect(one.error).toBe('');
    expect(two.ends).toEqual([]);
  });

  test('pings are answered', async () => {
    using client = await connect(target('echo'));
    client.ping(1);
    await eventually(() => expect(client.pings).toEqual([1]));
  });

  test('a port that is not registered is refused on the error stream, and the connection goes on', async () => {
    using client = await connect(target('echo'));
    const refused = await client.open(22);
    await eventually(() => expect(refused.ends).toEqual(expect.arrayContaining(['error fin', 'data reset'])));
    expect(refused.error).toMatch(
      /^error forwarding port 22 to pod echo, uid \S+: nothing listens on this port of the pod; ports in use: 8080$/,
    );
    const next = await client.open(podPort);
    client.send(next, Buffer.from('again'));
    await eventually(() => expect(next.data.toString()).toBe('again'));
  });

  test('when the client leaves, so do its connections', async () => {
    const client = await connect(target('echo'));
    const before = accepted.length;
    const open = await client.open(podPort);
    client.send(open, Buffer.from('x'));
    await eventually(() => expect(open.data.toString()).toBe('x'));
    client[Symbol.dispose]();
    await eventually(() => expect(accepted.slice(before).every(({ destroyed }) => destroyed)).toBe(true));
  });
});

test('in other pods nothing runs, whatever their status is', async () => {
  const status = { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }], hostIP: '127.0.0.1', phase: 'Running' };
  await server.client.patch({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'plain' }, { status }, {
    subresource: 'status',
  } as never);
  const message = 'pod plain does not have a host assigned: this server runs no containers';
  await expect(connectSpdy(target('plain'))).rejects.toThrow(message);
  await expect(connectWebSocket(target('plain'))).rejects.toThrow('400');
});

test('a pod that takes the name of a registered one is another pod', async () => {
  using _ports = listen(await createPod('replaced'));
  using client = await connectSpdy(target('replaced'));
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'replaced' };
  await server.client.delete(ref, { gracePeriodSeconds: 0 } as never);
  await createPod('replaced');
  const late = await client.open(podPort);
  await eventually(() => expect(late.error).toMatch(/pod default\/replaced of this uid does not exist any more$/));
  await expect(connectSpdy(target('replaced'))).rejects.toThrow('this server runs no containers');
});

test('who may read pods/portforward, and not create, may not connect by GET either', async () => {
  const rules = [{ apiGroups: [''], resources: ['pods/portforward'], verbs: ['get'] }];
  const group = 'rbac.authorization.k8s.io';
  const metadata = { name: 'forward-readers', namespace: 'default' };
  const subjects = [{ apiGroup: group, kind: 'User', name: 'rita' }];
  const roleRef = { apiGroup: group, kind: 'Role', name: metadata.name };
  await server.client.create({ apiVersion: `${group}/v1`, kind: 'Role', metadata, rules } as unknown as KubeObject);
  const binding = { apiVersion: `${group}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects };
  await server.client.create(binding as unknown as KubeObject);
  await expect(connectWebSocket(target('echo', 'rita'))).rejects.toThrow('403');
  await expect(connectSpdy(target('echo', 'rita'), 'GET')).rejects.toThrow(
    /403 .*cannot create resource \\"pods\/portforward\\"/,
  );
});

describe('a hostile client', () => {
  test('with headers that unpack to more than 16 KiB is cut off', async () => {
    using client = await connectSpdy(target('echo'));
    await client.openStream({ port: '8080', streamtype: 'data', bomb: 'x'.repeat(1024 * 1024) });
    await eventually(() => expect(client.goAway).toBe(1));
    await eventually(() => expect(client.transport.destroyed).toBe(true));
  });

  test.each([
    ['an unknown compression', controlFrame(frameTypes.synStream, Buffer.alloc(64, 7))],
    ['a reply to nothing', controlFrame(frameTypes.synReply, words(1))],
    ['a control frame of 16 MiB', Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff])],
    ['HTTP', Buffer.from('\x80\x02GET / HTTP/1.1\r\n\r\n', 'latin1')],
    ['a frame that is cut off', controlFrame(frameTypes.rstStream, Buffer.alloc(1))],
  ])('that sends %s is cut off', async (_name, bytes) => {
    using client = await connectSpdy(target('echo'));
    client.transport.write(bytes);
    await eventually(() => expect(client.goAway).toBe(1));
    await eventually(() => expect(client.transport.destroyed).toBe(true));
  });

  test('gets no more than 256 streams, and none without a port', async () => {
    using client = await connectSpdy(target('echo'));
    for (let i = 0; i < 260; i += 1)
      await client.openStream({ port: '8080', streamtype: 'error', requestid: String(i) });
    await client.openStream({ port: '0', streamtype: 'data', requestid: 'zero' });
    await client.openStream({ port: '8080', streamtype: 'other', requestid: 'type' });
    await eventually(() => expect(client.refused).toHaveLength(6));
  });

  test('that does not read holds up the program, not the memory of the server', async () => {
    using client = await connectSpdy(target('echo'));
    client.stopReading();
    const open = await client.open(podPort);
    const before = byteCount;
    const chunk = Buffer.alloc(64 * 1024);
    const total = 64 * 1024 * 1024;
    let sent = 0;
    // Ends when neither side takes any more: the echo cannot be delivered, so nothing more is read.
    while (sent < total && client.transport.writableLength < 4 * chunk.length) {
      client.send(open, chunk);
      sent += chunk.length;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    await eventually(() => expect(byteCount).toBeGreaterThan(before));
    expect(byteCount - before).toBeLessThan(total);
  });
});

test('a request that asks for no upgrade, or for another protocol, is answered', async () => {
  const { url, token } = target('echo');
  const sent = request(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    rejectUnauthorized: false,
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(400);
  expect(Buffer.concat(await response.toArray()).toString()).toContain('Upgrade request required');
  await expect(connectSpdy({ url: url.replace(/portforward$/, 'exec'), token })).rejects.toThrow(
    'this server runs no containers',
  );
});
