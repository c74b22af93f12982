import { EventEmitter } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import { expect, test } from 'vitest';
import { limitSmallFrames } from './small-frames.ts';

/** A connection of HTTP/2, and what it takes the bodies of requests for. */
class Session extends EventEmitter {
  destroyed = false;

  constructor() {
    super();
    limitSmallFrames(this as unknown as ServerHttp2Session);
  }

  goaway(): void {}

  destroy(): void {
    this.destroyed = true;
  }

  /** A request whose body has so many frames of a size. */
  request(frames: number, sizeBytes: number): void {
    const stream = { push: (_chunk: Buffer): boolean => true };
    this.emit('stream', stream);
    for (let count = 0; count < frames; count += 1) stream.push(Buffer.alloc(sizeBytes));
  }
}

test('a connection has any number of requests with small bodies, and of large bodies that end with a small frame', () => {
  const session = new Session();
  for (let count = 0; count < 10_000; count += 1) session.request(2, 1);
  for (let count = 0; count < 100; count += 1) {
    session.request(100, 16_384);
    session.request(20, 1);
  }
  expect(session.destroyed).toBe(false);
});

test('a connection ends when the bodies of its requests have thousands of small frames', () => {
  const session = new Session();
  for (let count = 0; count < 10; count += 1) session.request(300, 1);
  expect(session.destroyed).toBe(true);
});
