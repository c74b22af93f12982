import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { parseYaml } from '../../src/base/index.ts';

interface ClusterDocument {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

/** What becomes of a write: `cut` never reaches the API server, of `lost` only the answer does not reach the client. */
export type Fate = 'pass' | { readonly is: 'cut' | 'lost'; readonly struck: () => void };

/** Stands before an API server, as its administrator. */
export interface ApiProxy extends AsyncDisposable {
  /** For clients of the proxy: over HTTP, without credentials. */
  readonly kubeconfig: string;
  /** Refuses all requests, and ends those that are open, until it is opened again. */
  close(): void;
  open(): void;
}

const reviews = /leases|authorization\.k8s\.io|authentication\.k8s\.io|dryRun=All/;

/** Whether a request changes what is stored for others to see. */
function isWrite({ method = '', url = '' }: IncomingMessage): boolean {
  return method !== 'GET' && !(method === 'POST' && reviews.test(url)) && !/leases|dryRun=All/.test(url);
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: {} }],
  });
}

/** What a proxy does with each request. */
class Forwarding {
  readonly #server: string;
  readonly #agent: Agent;
  readonly #token: string | undefined;
  readonly #decide: (write: string) => Fate;
  readonly #open = new Set<ServerResponse>();
  #isClosed = false;

  constructor({ clusters, users }: ClusterDocument, decide: (write: string) => Fate) {
    this.#server = clusters[0].cluster.server;
    const user = users[0].user;
    const [cert, key] = ['certificate', 'key'].map((part) => Buffer.from(user[`client-${part}-data`] ?? '', 'base64'));
    this.#token = user['token'];
    const identity = this.#token === undefined ? { cert, key } : {};
    this.#agent = new Agent({ rejectUnauthorized: false, keepAlive: true, ...identity });
    this.#decide = decide;
  }

  close(): void {
    this.#isClosed = true;
    for (const reply of this.#open) reply.destroy();
  }

  open(): void {
    this.#isClosed = false;
  }

  end(): void {
    this.close();
    this.#agent.destroy();
  }

  handle(asked: IncomingMessage, reply: ServerResponse): void {
    if (this.#isClosed) return void asked.destroy();
    const fate = isWrite(asked) ? this.#decide(`${asked.method} ${asked.url}`) : 'pass';
    this.#open.add(reply);
    reply.on('close', () => this.#open.delete(reply));
    if (fate !== 'pass' && fate.is === 'cut') {
      fate.struck();
      asked.destroy();
    } else this.#forward(asked, reply, fate === 'pass' ? undefined : fate.struck);
  }

  #forward(asked: IncomingMessage, reply: ServerResponse, lose?: () => void): void {
    const { method, url = '' } = asked;
    const headers = { ...asked.headers, ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }) };
    const passed = request(`${this.#server}${url}`, { method, headers, agent: this.#agent }, (answer) => {
      if (lose === undefined) {
        // A connection for each request: one that is shared shows when a suspended client has been given up.
        reply.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: 'close' });
        answer.on('error', () => reply.destroy());
        answer.pipe(reply);
      } else {
        answer.resume().on('end', () => {
          lose();
          reply.destroy();
        });
      }
    });
    passed.on('error', () => reply.destroy());
    // A write that has been sent is done, whether its client waits for the answer or not.
    if (!isWrite(asked)) reply.on('close', () => passed.destroy());
    asked.on('error', () => passed.destroy());
    asked.pipe(passed);
  }
}

/** Starts a proxy to the API server of a kubeconfig with a client certificate or a token; `decide` is asked about each write, as `METHOD PATH`. */
export async function startApiProxy(kubeconfig: string, decide: (write: string) => Fate): Promise<ApiProxy> {
  const document = parseYaml('the kubeconfig', kubeconfig) as unknown as ClusterDocument;
  const forwarding = new Forwarding(document, decide);
  const server = createServer((asked, reply) => forwarding.handle(asked, reply)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    kubeconfig: kubeconfigOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    close: () => forwarding.close(),
    open: () => forwarding.open(),
    [Symbol.asyncDispose]: async () => {
      forwarding.end();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
