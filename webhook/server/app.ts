import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import {
  isJsonObject,
  type JsonObject,
  type Logger,
  parseJson,
  peerOf,
  TerminalError,
  TransientError,
} from '../../src/base/index.ts';
import type { Metrics } from '../../src/metrics/index.ts';
import type { FactsReader } from '../review/facts.ts';
import { readReview, reviewSchema } from '../review/request.ts';
import { RuleEvaluator } from '../review/rule-evaluator.ts';
import type { ReviewSettings, WebhookDefinition } from '../review/webhook-definition.ts';
import { webhooks } from '../webhooks.ts';
import { addMetricsRoute, type MetricsAccess } from './metrics-route.ts';
import { review } from './review.ts';
import { ReviewMemory, type ReviewShare } from './review-memory.ts';

/** An object before and after a change, each up to the API server's own limit for a body, and the envelope. */
const maxBodyBytes = 7 * 1024 * 1024;

/** Fields and items of an object before and after a change, as many as an API server of ours accepts, and the envelope: more take too much memory and time. */
const maxBodyValues = 520_000;

/** Parts in which a body may arrive: each costs memory and time, even if it has one byte. */
const maxBodyParts = 65_536;

/** Objects are validated as they are; our own schemas are not validated at each start. */
const validatorOptions = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  validateSchema: false,
} as const;

/** What the app needs. Defaults: dependencies are warned of, no account is required, no foreign classes. */
export interface WebhookDeps extends Partial<ReviewSettings> {
  readonly systemNamespace: string;
  readonly facts: FactsReader;
  readonly log: Logger;
  /** Counts every review; served at `/metrics` when `metricsAccess` is set too. */
  readonly metrics?: Metrics;
  readonly metricsAccess?: MetricsAccess;
}

/** PEM texts for HTTPS. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly minVersion?: 'TLSv1.2';
  /** Bytes of all headers of a request. */
  readonly maxHeaderSize?: number;
  /** Deadline of the TLS handshake, in milliseconds. */
  readonly handshakeTimeout?: number;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function statusCodeOf(error: unknown): number {
  if (error instanceof TerminalError) return 400;
  const { statusCode, validation } = error as Partial<FastifyError>;
  if (validation !== undefined || statusCode === 415) return 400;
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? statusCode : 500;
}

/** The review, for the log. */
function reviewedBy({ routeOptions, body }: FastifyRequest): Readonly<Record<string, string>> {
  const webhook = webhooks.find(({ path }) => path === routeOptions.url)?.name ?? '';
  const { operation, namespace, name } = readReview(isJsonObject(body) ? body : {});
  return { webhook, operation, namespace, name };
}

/** Reports an internal error without details; these are logged. */
function handleError(log: Logger, error: unknown, { request, reply }: Exchange): FastifyReply {
  const code = statusCodeOf(error);
  if (code < 500) return reply.code(code).send({ error: (error as Error).message });
  // An API server that does not respond is no defect: no stack is logged.
  const isTransient = error instanceof TransientError;
  const facts = isTransient ? { reason: error.reason, message: error.message } : { err: error };
  log.error({ ...reviewedBy(request), ...facts }, 'review failed');
  const what = isTransient ? 'the cluster state for this review could not be read: try again' : 'internal error';
  return reply.code(code).send({ error: `${what}; see the log of longshore webhook for details` });
}

/** Serves the reviews of one webhook, with metrics of its rules. */
function addReviewRoute(app: FastifyInstance, webhook: WebhookDefinition, deps: WebhookDeps): void {
  const { facts, log, metrics, systemNamespace } = deps;
  const { dependencyPolicy = 'warn', isAccountRequired = false, foreignClasses = [] } = deps;
  const rules = new RuleEvaluator();
  metrics?.readFrom(() => Promise.resolve(rules.metricValues(webhook.name)));
  const settings = { systemNamespace, dependencyPolicy, isAccountRequired, foreignClasses };
  const reviewDeps = { facts, rules, log, metrics, ...settings };
  app.post(webhook.path, { schema: { body: reviewSchema } }, async ({ body, headers }: FastifyRequest) => {
    const traceparent = headers['traceparent'];
    const received = {
      body: body as JsonObject,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    };
    return await review(webhook, received, reviewDeps);
  });
}

/** Bytes of the body, if the headers have its length. */
function bodyBytesOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Math.min(Number(length), maxBodyBytes);
}

/** Reads bodies as JSON, within limits for all of them together. */
function readBodies(app: FastifyInstance): void {
  const memory = new ReviewMemory();
  const shares = new WeakMap<FastifyRequest, ReviewShare>();
  app.addHook('preParsing', async (request, reply, payload) => {
    const close = (): void => void request.raw.destroy();
    const share = memory.begin({ peer: peerOf(request.ip), bytes: bodyBytesOf(request), close });
    shares.set(request, share);
    reply.raw.once('close', () => share.end());
    if (share.whenAdmitted !== undefined) {
      // Pausing the request alone would go on to keep each small part in memory.
      request.socket.pause();
      await share.whenAdmitted;
      request.socket.resume();
    }
    let parts = 0;
    payload.on('data', (chunk: Buffer) => {
      parts += 1;
      share.received(chunk.length);
      if (parts > maxBodyParts) close();
    });
    return payload;
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, async (request: FastifyRequest, body: string) => {
    return await shares.get(request)?.parse(() => parseJson('request body', body, { maxValues: maxBodyValues }));
  });
}

/** The webhook as an app that does not listen: one POST route a webhook, `AdmissionReview` v1 in and out.
 *  400 for anything else, 404 for another path, 413 over 7 MiB, 500 with a JSON error when facts cannot be read. */
export function buildWebhook(deps: WebhookDeps, tls?: TlsFiles): FastifyInstance {
  const options = {
    logger: false as const,
    bodyLimit: maxBodyBytes,
    requestTimeout: 30_000,
    keepAliveTimeout: 75_000,
    // API servers open connections before they need them: those count as busy, and closing would wait for them.
    forceCloseConnections: true,
    ajv: { customOptions: validatorOptions },
  };
  const app =
    tls === undefined ? Fastify(options) : (Fastify({ ...options, https: tls }) as unknown as FastifyInstance);
  readBodies(app);
  app.setErrorHandler((error, request, reply) => handleError(deps.log, error, { request, reply }));
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `no such path: ${request.url.slice(0, 200)}` }),
  );
  for (const webhook of webhooks) addReviewRoute(app, webhook, deps);
  const { metrics, metricsAccess } = deps;
  if (metrics !== undefined && metricsAccess !== undefined) addMetricsRoute(app, metrics, metricsAccess);
  return app;
}
