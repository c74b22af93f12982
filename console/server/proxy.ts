import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TerminalError } from '../../src/base/index.ts';
import type { WireRequest, WireResponse } from '../../src/kube/index.ts';
import { ConsoleProblem } from './problem.ts';
import { refusalOf } from './proxy-rules.ts';
import type { Session, Sessions } from './sessions.ts';

const prefix = '/k8s';
const maxRequestBytes = 1024 * 1024;
const passedParameters: ReadonlySet<string> = new Set([
  'labelSelector',
  'fieldSelector',
  'limit',
  'continue',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
  'propagationPolicy',
  'container',
  'tailLines',
  'previous',
  'timestamps',
]);
const contentTypes: ReadonlySet<string> = new Set([
  'application/json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
]);
const maxLogLines = 2_000;

/** @throws ConsoleProblem for a parameter that changes what a request is, as `watch` does */
function queryOf(request: FastifyRequest, path: string): string {
  const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '');
  const strange = [...query.keys()].find((key) => !passedParameters.has(key));
  if (strange !== undefined) {
    throw new ConsoleProblem(400, 'UnknownParameter', { message: `the console does not forward "${strange}"` });
  }
  if (path.endsWith('/log')) {
    const lines = Math.min(Number(query.get('tailLines')) || 200, maxLogLines);
    query.set('tailLines', String(lines));
    query.set('limitBytes', String(maxRequestBytes));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}

function contentTypeOf(request: FastifyRequest): string {
  const [type = ''] = (request.headers['content-type'] ?? 'application/json').split(';');
  if (contentTypes.has(type)) return type;
  throw new ConsoleProblem(415, 'UnsupportedMediaType', { message: `the console does not forward ${type}` });
}

/** An answer is in memory as a whole, and once more while it is sent.
 *  @throws ConsoleProblem 413 for one that is too large, 429 while the user has too many of them */
async function exchange(session: Session, request: WireRequest, reply: FastifyReply): Promise<WireResponse> {
  const share = session.openAnswer();
  reply.raw.once('close', () => share[Symbol.dispose]());
  try {
    return await session.transport.exchange({ ...request, hasRoomFor: (bytes) => share.add(2 * bytes) });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    const isTooLarge = thrown.reason === 'BodyTooLarge';
    throw new ConsoleProblem(isTooLarge ? 413 : 429, thrown.reason, {
      message: thrown.message,
      advice: isTooLarge ? 'use kubectl' : 'wait until what else you read has arrived',
    });
  }
}

async function forward(session: Session, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const path = (request.url.split('?', 1)[0] ?? '').slice(prefix.length);
  const refusal = refusalOf({ method: request.method, path });
  if (refusal !== undefined) throw new ConsoleProblem(403, 'NotForwarded', { message: refusal });
  const hasBody = request.method !== 'GET' && typeof request.body === 'string' && request.body !== '';
  const wire: WireRequest = {
    method: request.method as WireRequest['method'],
    path: `${path}${queryOf(request, path)}`,
    accept: path.endsWith('/log') ? '*/*' : 'application/json',
    ...(hasBody ? { body: request.body as string, contentType: contentTypeOf(request) } : {}),
  };
  const response = await exchange(session, wire, reply);
  const warning = response.headers['warning'];
  if (warning !== undefined) void reply.header('warning', warning);
  const isText = String(response.headers['content-type']).startsWith('text/plain');
  await reply
    .code(response.status)
    .type(isText ? 'text/plain; charset=utf-8' : 'application/json')
    .header('cache-control', 'no-store')
    .send(response.text);
}

/** `/k8s/…`: forwards to the API server as the viewer. The verbs and paths are those of `refusalOf`; bodies, parameters and requests at a time are limited. */
export async function addProxy(app: FastifyInstance, sessions: Sessions): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: maxRequestBytes }, (_, body, done) => {
      done(null, body);
    });
    scope.route({
      method: ['GET', 'POST', 'PATCH', 'DELETE'],
      url: `${prefix}/*`,
      onRequest: sessions.guard,
      handler: async (request, reply) => {
        const session = sessions.require(request);
        await session.counted(() => forward(session, request, reply));
      },
    });
  });
}
