import type { IncomingMessage } from 'node:http';
import type { ApiObject } from './references.ts';

/** One event of a watch. `ERROR` carries a Status and is the last. */
export interface WatchEvent<T extends ApiObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

/** An open watch: its events, in order, to be read once. It ends when the server ends it, when a `for await` loop is left, and on `stop`. */
export class Watch<T extends ApiObject> implements AsyncIterable<WatchEvent<T>>, Disposable {
  readonly #response: IncomingMessage;
  readonly #release: () => void;
  #isStopped = false;

  constructor(response: IncomingMessage, release: () => void) {
    this.#response = response;
    this.#release = release;
  }

  stop(): void {
    this.#isStopped = true;
    this.#response.destroy();
    this.#release();
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent<T>, void, undefined> {
    try {
      for await (const line of linesOf(this.#response)) yield JSON.parse(line) as WatchEvent<T>;
    } catch (thrown) {
      if (!this.#isStopped && !this.#response.destroyed) throw thrown;
    } finally {
      this.stop();
    }
  }
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  response.setEncoding('utf8');
  let rest = '';
  for await (const chunk of response as AsyncIterable<string>) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}
