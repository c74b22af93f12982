import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pacePlainConnectionsOf } from './paced-answers.ts';

/** Of each connection. */
const count = 100_000;
const connections = 16;
const head = 'HTTP/1.1 200 OK\r\n';
const answers = {
  chunks: `${head}transfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`,
  'answers before the answer': `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(count)}${head}content-length: 1\r\n\r\nx`,
};

/** Counts what is parsed of all answers. */
class Parsed {
  count = 0;
  readonly bytes: number[] = [];

  ask(port: number, agent: Agent): void {
    const request = get({ host: '127.0.0.1', port, agent });
    request.on('information', () => (this.count += 1));
    request.once('response', (response) => {
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        this.count += 1;
        bytes += piece.length;
      });
      response.once('end', () => this.bytes.push(bytes));
    });
  }
}

test.each(Object.entries(answers))('very many %s of a server leave turns to others, and arrive', async (what, text) => {
  await using stack = new AsyncDisposableStack();
  const server = createServer((socket) => void socket.once('data', () => socket.end(text)));
  stack.defer(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const agent = pacePlainConnectionsOf(new Agent());
  stack.defer(() => agent.destroy());
  const parsed = new Parsed();
  const { port } = server.address() as AddressInfo;
  for (let index = 0; index < connections; index += 1) parsed.ask(port, agent);
  let most = 0;
  for (let before = 0; parsed.bytes.length < connections; ) {
    await nextTurn();
    most = Math.max(most, parsed.count - before);
    before = parsed.count;
  }
  expect(parsed.bytes).toEqual(Array.from({ length: connections }, () => (what === 'chunks' ? count : 1)));
  // Without turns as many as all connections have received.
  expect(most).toBeLessThan(40_000);
});
