import type { IncomingMessage, Server } from 'node:http';
import { duplexPair } from 'node:stream';
import type { HttpRequest, HttpResponse } from '../http/index.ts';

/** One request of the in-process client. `path` has the query. */
export interface DirectRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Handle = (request: HttpRequest, response: HttpResponse) => Promise<void>;

/** HTTP/1.1 with a request handler of the same process: real requests and responses, no port and no TLS. */
export class DirectConnection implements Disposable {
  readonly #handle: Handle;
  #server: Server | undefined;

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  /** Sends a request; the response's body is still to be read.
   *  @throws Error when the connection ends before the response begins */
  async send(request: DirectRequest): Promise<IncomingMessage> {
    const { method, path, headers, body, signal } = request;
    // As a module, node:http brings all of fetch with it: only a client that sends a request waits for that.
    const { createServer, request: httpRequest } = await import('node:http');
    this.#server ??= this.#listen(createServer);
    const [clientSide, serverSide] = duplexPair();
    this.#server.emit('connection', serverSide);
    return await new Promise((resolve, reject) => {
      // node leaves the length out for methods that usually have no body.
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method, path, headers: { ...headers, ...length } as Record<string, string | string[]> };
      const sent = httpRequest({ ...options, createConnection: () => clientSide, ...(signal ? { signal } : {}) });
      sent.once('error', reject);
      sent.once('response', (response) => {
        sent.on('error', () => {}); // reported by the response from now on
        resolve(response);
      });
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#server?.closeAllConnections();
  }

  #listen(createServer: typeof import('node:http').createServer): Server {
    const server = createServer({ keepAlive: false }, (request, response) => void this.#handle(request, response));
    server.timeout = 0;
    return server;
  }
}

/** @throws Error when the connection ends first */
export async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
