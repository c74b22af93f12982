import { connect } from 'node:http2';
import { Agent, request } from 'node:https';
import { mapLimit } from '../src/base/index.ts';
import { type ClusterAccess, loadClusterAccess } from '../src/kube/index.ts';

type ClusterTls = Awaited<ReturnType<ClusterAccess['tls']>>;

const lanes = 16;
const watchesPerConnection = 100;

/** One request of a load. */
export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
  readonly contentType?: string;
}

/** Sends requests over kept-alive connections, with as little work of its own as possible, so that the server is what is measured. */
export class LoadClient implements Disposable {
  readonly #server: string;
  readonly #tls: ClusterTls;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: Agent;

  private constructor(server: string, tls: ClusterTls, headers: Readonly<Record<string, string>>) {
    this.#server = server;
    this.#tls = tls;
    this.#headers = headers;
    this.#agent = new Agent({ keepAlive: true, maxSockets: lanes, ...tls });
  }

  static async open(kubeconfig: string): Promise<LoadClient> {
    const access = await loadClusterAccess({ text: kubeconfig });
    return new LoadClient(access.server, await access.tls(), await access.headers());
  }

  /** Answers the number of bytes of the answer. Throws unless it is a success. */
  send({ method, path, body, contentType = 'application/json' }: LoadRequest): Promise<number> {
    const { hostname, port } = new URL(this.#server);
    const content =
      body === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(body) };
    const headers = { ...this.#headers, ...content };
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method, path, headers, agent: this.#agent }, (response) => {
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
        });
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode = 0 } = response;
          if (statusCode < 400) resolve(size);
          else reject(new Error(`${method} ${path}: ${statusCode}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Requests a second, some at a time. */
  async rate(requests: readonly LoadRequest[], width: number = lanes): Promise<number> {
    const startedMs = performance.now();
    await mapLimit(requests, width, (one) => this.send(one));
    return requests.length / ((performance.now() - startedMs) / 1000);
  }

  /** Opens watches of `path`; `onEvent` is called for each event that one of them reports. Resolves when all are open. */
  async watch(path: string, count: number, onEvent: () => void): Promise<Disposable> {
    const sessions = Array.from({ length: Math.ceil(count / watchesPerConnection) }, () =>
      connect(this.#server, this.#tls),
    );
    const open = Array.from({ length: count }, (_, index) => {
      const stream = sessions[index % sessions.length]?.request({ ':path': path, ...this.#headers });
      if (stream === undefined) throw new Error('no session');
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) onEvent();
      });
      return new Promise<void>((resolve, reject) => {
        stream.once('response', () => resolve());
        stream.once('error', reject);
      });
    });
    await Promise.all(open);
    return {
      [Symbol.dispose]: () => {
        for (const session of sessions) session.destroy();
      },
    };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
