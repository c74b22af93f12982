import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { requestKind } from './request-kind.ts';

const http2Channel = 'http2.server.stream.start';
const http1Channel = 'http.server.request.start';

/** Counts what an API server of this process is asked over the network; a client within the process is not counted, nor are leases. */
export interface RequestCounter extends Disposable {
  /** Verb and resource → how many requests since the start. */
  counts(): ReadonlyMap<string, number>;
}

/** Starts to count the requests to the server at this URL. */
export function countRequests(url: string): RequestCounter {
  const { host } = new URL(url);
  const counted = new Map<string, number>();
  const add = (asked: { method: string; path: string; contentType: string }, authority: string): void => {
    const kind = requestKind(asked);
    if (authority !== host || kind.endsWith(' leases')) return;
    counted.set(kind, (counted.get(kind) ?? 0) + 1);
  };
  const onStream = (message: unknown): void => {
    const { headers } = message as { headers: Readonly<Record<string, string | undefined>> };
    const { ':method': method = '', ':path': path = '', ':authority': authority = '' } = headers;
    add({ method, path, contentType: headers['content-type'] ?? '' }, authority);
  };
  const onRequest = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage };
    const { method = '', url: path = '', headers } = request;
    add({ method, path, contentType: headers['content-type'] ?? '' }, headers.host ?? '');
  };
  subscribe(http2Channel, onStream);
  subscribe(http1Channel, onRequest);
  return {
    counts: () => new Map(counted),
    [Symbol.dispose]: () => {
      unsubscribe(http2Channel, onStream);
      unsubscribe(http1Channel, onRequest);
    },
  };
}

/** What was asked between two counts, by verb and resource. */
export function requestsBetween(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const more = Array.from(after, ([kind, count]): [string, number] => [kind, count - (before.get(kind) ?? 0)]);
  return new Map(more.filter(([, count]) => count > 0));
}

const reads: ReadonlySet<string> = new Set(['discovery', 'watch', 'list', 'get']);

/** Whether requests of this kind may change an object. */
export function isWrite(kind: string): boolean {
  const [verb = ''] = kind.split(' ');
  return !(reads.has(verb) || kind.includes('(dry run)') || /accessreviews|tokenreviews/.test(kind));
}
