import { Readable, Writable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { Exchange, type HttpRequest, type HttpResponse } from './exchange.ts';
import { TransferLimits } from './transfer-limits.ts';

test('a body that arrives in very many parts is not held part by part', async () => {
  const bytes = Buffer.alloc(10_000).map((_, index) => index);
  const parts = Array.from(bytes, (byte) => Buffer.of(byte));
  const request = Object.assign(Readable.from(parts), { url: '/', headers: {} }) as unknown as HttpRequest;
  const response = { setHeader: () => {} } as unknown as HttpResponse;
  const joined = vi.spyOn(Buffer, 'concat');
  const body = await new Exchange(request, response, new TransferLimits()).readBody();
  expect(body.equals(bytes)).toBe(true);
  expect(Math.max(...joined.mock.calls.map(([list]) => list.length))).toBeLessThanOrEqual(1024);
  joined.mockRestore();
});

test('a large part of an answer that is not read counts as it is', async () => {
  const limits = new TransferLimits({ maxBytes: 10_000_000 });
  const cut = vi.fn();
  using other = limits.begin(cut);
  other.grow(3_000_000);
  const request = { url: '/', method: 'GET', headers: {} } as unknown as HttpRequest;
  const unread = new Writable({ write: () => {} });
  const response = Object.assign(unread, { setHeader: () => {}, flushHeaders: () => {} }) as unknown as HttpResponse;
  const sent = new Exchange(request, response, limits).send({ code: 200, body: { pieces: ['a'.repeat(8_000_000)] } });
  await expect.poll(() => unread.writableLength).toBe(8_000_000);
  expect(cut).toHaveBeenCalled();
  unread.destroy();
  await sent;
});
