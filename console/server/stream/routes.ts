import type { FastifyInstance } from 'fastify';
import { ConsoleProblem } from '../problem.ts';
import type { Session, Sessions } from '../sessions.ts';
import { Shares } from '../shares.ts';
import { EventStream } from './stream.ts';

const maxWatches = 16;
const maxStreams = 8;
/** In all sessions of a user, and of all users: each takes a connection. */
const allStreams = { ofUser: 32, ofAll: 384 };

/** `/api/stream?watch=…&watch=…`: one stream of server-sent events for a page. */
export function addStream(app: FastifyInstance, sessions: Sessions, closing: AbortSignal): void {
  const open = new Map<Session, number>();
  const shares = new Shares(allStreams);
  app.get('/api/stream', (request, reply) => {
    const session = sessions.require(request);
    const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '');
    const watches = [...new Set(query.getAll('watch'))];
    const streams = open.get(session) ?? 0;
    if (watches.length === 0 || watches.length > maxWatches || streams >= maxStreams) {
      const message = `expected 1 to ${maxWatches} watches on one of ${maxStreams} streams`;
      throw new ConsoleProblem(429, 'TooManyWatches', { message });
    }
    const stack = new DisposableStack();
    try {
      if (!stack.use(shares.open(session.tenant)).add(1)) {
        throw new ConsoleProblem(429, 'TooManyWatches', { message: 'too many pages of the console are open' });
      }
      const sources = watches.map((watch) => [watch, stack.use(session.watches.open(watch)).source] as const);
      open.set(session, streams + 1);
      reply.hijack();
      const headers = Object.fromEntries(
        Object.entries(reply.getHeaders()).map(([key, value]) => [key, String(value)]),
      );
      const type = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
      reply.raw.writeHead(200, { ...headers, ...type });
      stack.use(new EventStream(reply.raw, sources));
    } catch (thrown) {
      stack.dispose();
      throw thrown;
    }
    const end = (): void => {
      reply.raw.destroy();
    };
    for (const signal of [closing, session.ended]) signal.addEventListener('abort', end, { once: true });
    reply.raw.once('close', () => {
      for (const signal of [closing, session.ended]) signal.removeEventListener('abort', end);
      open.set(session, Math.max(0, (open.get(session) ?? 1) - 1));
      if (open.get(session) === 0) open.delete(session);
      stack.dispose();
    });
  });
}
