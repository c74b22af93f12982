import { connect, type TLSSocket } from 'node:tls';
import { mapLimit } from '../src/base/index.ts';

/** A request as it goes over the wire, and what its answer must hold. */
export interface WebhookRequest {
  readonly bytes: Buffer;
  readonly expected: string;
}

/** Where the measured webhook listens. */
export interface WebhookTarget {
  readonly port: number;
  /** PEM. */
  readonly ca: string;
}

const headEnd = Buffer.from('\r\n\r\n');

/** The length of the first answer in `received`, when it is whole. */
function answerLength(received: Buffer): number | undefined {
  const head = received.indexOf(headEnd);
  if (head < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, head))?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${received.toString('latin1', 0, head)}`);
  const whole = head + headEnd.length + Number(length);
  return received.length < whole ? undefined : whole;
}

/** One kept-alive connection with as little work of its own as possible, so that the server is what is measured. */
export class WebhookConnection implements Disposable {
  readonly #socket: TLSSocket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: PromiseWithResolvers<string> | undefined;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the webhook closed the connection')));
  }

  static async open({ port, ca }: WebhookTarget): Promise<WebhookConnection> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' }, () => resolve(undefined));
    socket.once('error', reject);
    await promise;
    return new WebhookConnection(socket);
  }

  /** Milliseconds until the whole answer was there.
   *  @throws Error when it is another answer than expected */
  async ask({ bytes, expected }: WebhookRequest): Promise<number> {
    const startedMs = performance.now();
    this.#waiting = Promise.withResolvers<string>();
    this.#socket.write(bytes);
    const answer = await this.#waiting.promise;
    if (!answer.includes(expected)) throw new Error(`expected ${expected} in: ${answer}`);
    return performance.now() - startedMs;
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    try {
      const length = answerLength(this.#received);
      if (length === undefined) return;
      const answer = this.#received.toString('utf8', 0, length);
      this.#received = this.#received.subarray(length);
      this.#waiting?.resolve(answer);
    } catch (thrown) {
      this.#waiting?.reject(thrown);
    }
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

/** Connections side by side. */
export class WebhookConnections implements Disposable {
  readonly #all: readonly WebhookConnection[];

  private constructor(all: readonly WebhookConnection[]) {
    this.#all = all;
  }

  static async open(target: WebhookTarget, count: number): Promise<WebhookConnections> {
    return new WebhookConnections(
      await mapLimit(Array.from({ length: count }), 8, () => WebhookConnection.open(target)),
    );
  }

  /** Asks on every connection, the next request as soon as the answer is there, until `forMs` have passed; how long each took. */
  async askAll(requests: readonly WebhookRequest[], forMs: number): Promise<readonly number[]> {
    const untilMs = performance.now() + forMs;
    const took: number[] = [];
    let next = 0;
    const lane = async (connection: WebhookConnection): Promise<void> => {
      while (performance.now() < untilMs) {
        const request = requests[next++ % requests.length];
        if (request !== undefined) took.push(await connection.ask(request));
      }
    };
    await Promise.all(this.#all.map(lane));
    return took;
  }

  /** Asks `perSecond` times a second whether answers come or not. Each took from the moment that it was due: a late start counts. */
  async askAtRate(
    requests: readonly WebhookRequest[],
    { perSecond, forMs }: { readonly perSecond: number; readonly forMs: number },
  ): Promise<readonly number[]> {
    const free = [...this.#all];
    const took: number[] = [];
    const running = new Set<Promise<void>>();
    const startedMs = performance.now();
    const total = (perSecond * forMs) / 1000;
    const askNext = (number: number): boolean => {
      const connection = free.pop();
      const request = requests[number % requests.length];
      if (connection === undefined || request === undefined) return false;
      const dueMs = startedMs + (number * 1000) / perSecond;
      const one = connection.ask(request).then(() => {
        took.push(performance.now() - dueMs);
        free.push(connection);
        running.delete(one);
      });
      running.add(one);
      return true;
    };
    for (let number = 0; number < total; ) {
      const dueMs = startedMs + (number * 1000) / perSecond;
      if (performance.now() >= dueMs && askNext(number)) number += 1;
      else await new Promise(setImmediate);
    }
    await Promise.all(running);
    return took;
  }

  [Symbol.dispose](): void {
    for (const connection of this.#all) connection[Symbol.dispose]();
  }
}
