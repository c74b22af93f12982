import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../../src/metrics/index.ts';

/** Whether a token gives access to the metrics of the webhook; its own errors are answered with 503. */
export type MetricsAccess = (token: string) => Promise<'allowed' | 'unknown' | 'forbidden'>;

const statusOf = { unknown: 401, forbidden: 403 } as const;

async function decide(request: FastifyRequest, access: MetricsAccess): ReturnType<MetricsAccess> {
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return token === undefined ? 'unknown' : await access(token);
}

/** Serves `/metrics` to users who may get that path. */
export function addMetricsRoute(app: FastifyInstance, metrics: Metrics, access: MetricsAccess): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const decision = await decide(request, access).catch(() => undefined);
    if (decision === undefined) return reply.code(503).send({ error: 'the user could not be identified' });
    if (decision !== 'allowed') return reply.code(statusOf[decision]).send({ error: decision });
    const { contentType, text } = await metrics.show();
    return reply.header('content-type', contentType).send(text);
  };
  app.get('/metrics', answer);
}
