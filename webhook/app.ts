import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { DependencyPolicy } from '../src/api/index.ts';
import {
  isJsonObject,
  type JsonObject,
  type Logger,
  parseJson,
  TerminalError,
  type TracedWork,
  TransientError,
  traced,
  withDeadline,
} from '../src/base/index.ts';
import type { Metrics } from '../src/metrics/index.ts';
import { type Endpoint, endpoints } from './checks.ts';
import type { FactsReader } from './facts.ts';
import { addMetricsRoute, type MetricsAccess } from './metrics-route.ts';
import { answerReview, answerUndecodable, readReview, reviewSchema } from './review.ts';
import { RuleTally } from './rule-tally.ts';
import type { AdmissionResult } from './rules/rule.ts';

/** An object before and after a change, each of the API server's own limit for a body, and what stands around them. */
const maxBodyBytes = 7 * 1024 * 1024;
/** Shorter than the API server's timeout of 10 s, so that the response can give the reason. */
const factsDeadlineMs = 8_000;

/** What the app is given. */
export interface WebhookDeps {
  readonly facts: FactsReader;
  /** Where ConfigMaps are guarded. */
  readonly systemNamespace: string;
  /** Default warn. */
  readonly dependencyPolicy?: DependencyPolicy;
  /** BundleDeployments must name a service account. Default false. */
  readonly isAccountRequired?: boolean;
  /** Classes that other provisioners of the cluster serve. */
  readonly foreignClasses?: readonly string[];
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
  /** Milliseconds in which a client must have shown that it speaks TLS. */
  readonly handshakeTimeout?: number;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A webhook, and what its rules do. */
interface Counted extends Endpoint {
  readonly rules: RuleTally;
}

interface Asked {
  readonly body: JsonObject;
  readonly headers: { readonly traceparent?: string };
}

function decisionOf({ denials, warnings }: AdmissionResult): string {
  if (denials.length > 0) return 'denied';
  return warnings.length > 0 ? 'warned' : 'allowed';
}

async function answer(
  endpoint: Counted,
  { body, headers: { traceparent: parent } }: Asked,
  deps: WebhookDeps,
): Promise<JsonObject> {
  const { metrics } = deps;
  const { webhook } = endpoint;
  const startedMs = performance.now();
  const count = (decision: string): void => {
    metrics?.add('longshore_webhook_reviews_total', { webhook, decision });
    metrics?.time('longshore_webhook_review_duration_seconds', { webhook }, performance.now() - startedMs);
  };
  const attributes: TracedWork['attributes'] = {};
  const onResult = (result: AdmissionResult): void => {
    attributes['longshore.decision'] = decisionOf(result);
    count(decisionOf(result));
  };
  try {
    return await traced({ name: `review ${webhook}`, kind: 'server', attributes, parent }, () =>
      review(endpoint, body, { ...deps, onResult }),
    );
  } catch (thrown) {
    count('failed');
    throw thrown;
  }
}

async function review(
  endpoint: Counted,
  body: JsonObject,
  deps: WebhookDeps & { readonly onResult: (result: AdmissionResult) => void },
): Promise<JsonObject> {
  const request = readReview(body);
  const { rules } = endpoint;
  const { facts, systemNamespace, dependencyPolicy = 'warn' } = deps;
  const { isAccountRequired = false, foreignClasses = [] } = deps;
  const settings = { systemNamespace, dependencyPolicy, isAccountRequired, foreignClasses };
  try {
    const result = await withDeadline(`facts for ${endpoint.webhook}`, { deadlineMs: factsDeadlineMs }, (signal) =>
      endpoint.check(request, { facts, rules, ...settings, signal }),
    );
    deps.onResult(result);
    const denials = result.denials.map(({ text }) => text);
    deps.log.debug(
      { webhook: endpoint.webhook, operation: request.operation, name: request.name, denials },
      'reviewed',
    );
    return answerReview(request.uid, result);
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.reason === 'InvalidObject') {
      deps.onResult({ denials: [{ form: 'added', text: thrown.message }], warnings: [] });
      return answerUndecodable(request.uid, thrown.message);
    }
    throw thrown;
  }
}

function statusCodeOf(error: unknown): number {
  if (error instanceof TerminalError) return 400;
  const { statusCode, validation } = error as Partial<FastifyError>;
  if (validation !== undefined || statusCode === 415) return 400;
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? statusCode : 500;
}

/** Which review it was, for the log. */
function reviewedBy({ routeOptions, body }: FastifyRequest): Readonly<Record<string, string>> {
  const webhook = endpoints.find(({ path }) => path === routeOptions.url)?.webhook ?? '';
  const { operation, namespace, name } = readReview(isJsonObject(body) ? body : {});
  return { webhook, operation, namespace, name };
}

/** Reports an internal error without details; these are logged. */
function handleError(log: Logger, error: unknown, { request, reply }: Exchange): FastifyReply {
  const code = statusCodeOf(error);
  if (code < 500) return reply.code(code).send({ error: (error as Error).message });
  // That the cluster could not be asked is no defect: no stack is needed.
  const isTransient = error instanceof TransientError;
  const facts = isTransient ? { reason: error.reason, message: error.message } : { err: error };
  log.error({ ...reviewedBy(request), ...facts }, 'review failed');
  const what = isTransient ? 'the cluster state for this review could not be read: try again' : 'internal error';
  return reply.code(code).send({ error: `${what}; see the log of longshore webhook for details` });
}

/** The webhook as an app that does not listen: one POST route a row of the table of endpoints, `AdmissionReview` v1 in and out.
 *  400 for anything else, 404 for another path, 413 over 7 MiB, 500 with a JSON error when facts cannot be read. */
export function buildWebhook(deps: WebhookDeps, tls?: TlsFiles): FastifyInstance {
  const options = {
    logger: false as const,
    bodyLimit: maxBodyBytes,
    requestTimeout: 30_000,
    keepAliveTimeout: 75_000,
    // API servers open connections before they need them: those count as busy, and closing would wait for them.
    forceCloseConnections: true,
    ajv: { customOptions: { coerceTypes: false as const, removeAdditional: false as const, useDefaults: false } },
  };
  const app =
    tls === undefined ? Fastify(options) : (Fastify({ ...options, https: tls }) as unknown as FastifyInstance);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, parseJson('request body', String(body)));
    } catch (thrown) {
      done(thrown as Error);
    }
  });
  app.setErrorHandler((error, request, reply) => handleError(deps.log, error, { request, reply }));
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `no such path: ${request.url.slice(0, 200)}` }),
  );
  const { metrics, metricsAccess } = deps;
  for (const row of endpoints) {
    const endpoint = { ...row, rules: new RuleTally() };
    metrics?.readFrom(() => Promise.resolve(endpoint.rules.metricValues(endpoint.webhook)));
    app.post(endpoint.path, { schema: { body: reviewSchema } }, async (request: FastifyRequest) =>
      answer(endpoint, request as Asked, deps),
    );
  }
  if (metrics !== undefined && metricsAccess !== undefined) addMetricsRoute(app, metrics, metricsAccess);
  return app;
}
