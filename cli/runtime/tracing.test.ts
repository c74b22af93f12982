import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger, TerminalError, traced, WaitingError } from '../../src/base/index.ts';
import { readTracesEndpoint } from '../settings/up.ts';
import { exporterMessage, startTracing } from './tracing.ts';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
}

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

let receiver: Server;
let endpoint = '';
const received: Export[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    void request.toArray().then((pieces: Buffer[]) => {
      if (request.url === '/collector/v1/traces') received.push(JSON.parse(Buffer.concat(pieces).toString()) as Export);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/collector`;
});
afterAll(async () => {
  await new Promise((resolve) => receiver.close(resolve));
});

const log = silentLogger();
const spans = (): readonly Span[] =>
  received.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)),
  );
const named = (name: string): Span | undefined => spans().find((span) => span.name === name);
const attributesOf = (span: Span | undefined): unknown =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

test('work becomes spans, each below the work that it is part of, with what is found out on the way', async () => {
  const parent = `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`;
  await using _ = await startTracing({ endpoint, service: 'longshore-test', log }).then(async (tracing) => {
    await traced({ name: 'outer', kind: 'server', attributes: { 'longshore.object': 'combo' }, parent }, async () => {
      const attributes: Record<string, string | number> = {};
      const inner = async (): Promise<void> => {
        attributes['http.response.status_code'] = 200;
        await Promise.resolve();
      };
      await Promise.all([
        traced({ name: 'inner', kind: 'client', attributes }, inner),
        traced({ name: 'refused', attributes: {} }, () =>
          Promise.reject(new TerminalError('Wrong', 'it is wrong')),
        ).catch(() => undefined),
        traced({ name: 'waits', attributes: {} }, () =>
          Promise.reject(new WaitingError('Later', 'not yet', { afterMs: 5 })),
        ).catch(() => undefined),
      ]);
    });
    await tracing[Symbol.asyncDispose]();
    return tracing;
  });
  const outer = named('outer');
  expect(outer).toMatchObject({ traceId: 'a1'.repeat(16), parentSpanId: 'b2'.repeat(8), kind: 2 });
  expect(attributesOf(outer)).toEqual({ 'longshore.object': 'combo' });
  for (const name of ['inner', 'refused', 'waits']) {
    expect(named(name)).toMatchObject({ traceId: 'a1'.repeat(16), parentSpanId: outer?.spanId });
  }
  expect(attributesOf(named('inner'))).toEqual({ 'http.response.status_code': 200 });
  expect(named('refused')?.status).toEqual({ code: 2, message: 'it is wrong' });
  expect(named('waits')?.status.code ?? 0).toBe(0);
  const resource = received[0]?.resourceSpans[0]?.resource.attributes ?? [];
  expect(resource).toContainEqual({ key: 'service.name', value: { stringValue: 'longshore-test' } });
  const count = spans().length;
  await traced({ name: 'afterwards', attributes: {} }, () => Promise.resolve());
  expect(spans()).toHaveLength(count);
});

test('a receiver that is not there stops nothing, neither the work nor its end', async () => {
  const tracing = await startTracing({ endpoint: 'http://127.0.0.1:9', service: 'longshore-test', log });
  expect(await traced({ name: 'work', attributes: {} }, () => Promise.resolve('done'))).toBe('done');
  await tracing[Symbol.asyncDispose]();
});

test('a refusal of the receiver is reported with its message', () => {
  expect(exporterMessage('{"stack":"Error: no\\n    at x","message":"connect ECONNREFUSED","code":"E"}')).toBe(
    'connect ECONNREFUSED',
  );
  expect(exporterMessage('dropped 3 spans')).toBe('dropped 3 spans');
  expect(exporterMessage('x'.repeat(10_000))).toHaveLength(500);
});

test.each([
  ['ftp://collector', 'expected http(s)://HOST[:PORT][/PATH], found "ftp://collector/"'],
  ['collector:4318', 'expected http(s)://HOST[:PORT][/PATH], found "collector:4318"'],
  ['http://user:secret@collector:4318', '--traces-endpoint: a login belongs into OTEL_EXPORTER_OTLP_HEADERS'],
])('%s is no address for traces', (text, message) => {
  expect(() => readTracesEndpoint({ 'traces-endpoint': text })).toThrow(message);
});

test('an address for traces may have a path and end with a slash', () => {
  expect(readTracesEndpoint({ 'traces-endpoint': 'http://collector:4318/otlp/' })).toBe('http://collector:4318/otlp');
  expect(readTracesEndpoint({ 'traces-endpoint': undefined })).toBe(undefined);
});
