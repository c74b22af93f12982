import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createProxy } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { isJsonObject, type JsonObject, objectAt, textAt } from '../../src/base/index.ts';
import type { ClusterNetwork } from './test-cluster.ts';
import type { World } from './world.ts';

interface ServiceKey {
  readonly namespace: string;
  readonly name: string;
}

/** What a Service answers to the JSON that is sent to a path of it; undefined hangs up. */
export type ServiceAnswer = (request: JsonObject, path: string) => Promise<JsonObject | undefined>;

/** The network of a cluster without nodes: what the API server sends to a Service reaches this process. */
export interface ServiceNetwork extends ClusterNetwork, AsyncDisposable {
  /** Answers for one Service, with the certificate of its Secret `<name>-cert` as it is in the cluster at that moment. */
  serve(world: World, service: ServiceKey, answer: ServiceAnswer): Promise<void>;
  /** Leads to ports of this machine, one after the other, as a Service does with its Pods. */
  leadTo(ports: readonly number[]): void;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function certificateOf({ kube }: World, { namespace, name }: ServiceKey): Promise<{ cert: string; key: string }> {
  const secret = await kube.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: `${name}-cert` });
  const data = objectAt(secret as unknown as JsonObject, 'data');
  const text = (key: string): string => Buffer.from(textAt(data, key), 'base64').toString();
  return { cert: text('tls.crt'), key: text('tls.key') };
}

function startServer(world: World, service: ServiceKey, answer: ServiceAnswer): Server {
  const server = createServer(
    {
      SNICallback: (_name, done) => {
        certificateOf(world, service).then(
          (certificate) => done(null, createSecureContext(certificate)),
          (thrown: Error) => done(thrown),
        );
      },
    },
    (request, response) => {
      const respond = async (): Promise<void> => {
        const body: unknown = JSON.parse(Buffer.concat(await request.toArray()).toString());
        const path = request.url?.split('?')[0] ?? '';
        const reply = isJsonObject(body as JsonObject) ? await answer(body as JsonObject, path) : undefined;
        if (reply === undefined) response.destroy();
        else response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
      };
      respond().catch((thrown: unknown) => response.destroy(thrown as Error));
    },
  );
  // A new certificate is for new connections only.
  server.maxRequestsPerSocket = 1;
  return server;
}

/** A network without any Service yet. */
export async function startServiceNetwork(): Promise<ServiceNetwork> {
  const servers: Server[] = [];
  let servingPorts: readonly number[] = [];
  let connections = 0;
  const nextPort = (): number => servingPorts[connections++ % servingPorts.length] ?? 0;
  const proxy = createProxy();
  proxy.on('connect', ({ url = '' }, client) => {
    const [host = '', port = ''] = url.split(':');
    const target = host.startsWith('127.') ? Number(port) : nextPort();
    if (target === 0) return void client.destroy();
    const upstream = connect(target, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
  });
  const dir = await mkdtemp(join(tmpdir(), 'longshore-network-'));
  const clusterProxySocket = join(dir, 'proxy.sock');
  await new Promise<void>((resolve) => void proxy.listen(clusterProxySocket, resolve));
  return {
    clusterProxySocket,
    resolveService: () => ({ host: '127.0.0.1', port: nextPort() }),
    serve: async (world, service, answer) => {
      const server = startServer(world, service, answer);
      servers.push(server);
      servingPorts = [await listen(server)];
    },
    leadTo: (ports) => {
      servingPorts = ports;
    },
    [Symbol.asyncDispose]: async () => {
      for (const server of [...servers, proxy]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
      await rm(dir, { recursive: true, force: true });
    },
  };
}
