import type { IncomingMessage } from 'node:http';
import { type Clock, errorMessage, type JsonValue, parseJson, TerminalError } from '../base/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { isBudgetRefusal, isKubeError, KubeUnavailable, kubeErrorOf } from './kube-error.ts';
import type { ClusterAccess } from './kubeconfig.ts';
import { measuredTransport } from './measured-transport.ts';
import { createTransport, type WireRequest, type WireResponse } from './transport.ts';
import { warningsOf } from './warnings.ts';

export interface KubeClientOptions {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  /** Per exchange; default 30 s. */
  readonly deadlineMs?: number;
  /** Default 64 MiB. */
  readonly maxBodyBytes?: number;
  /** Called before each request that changes the cluster is sent, or sent again: at once, and when it has a connection. What it throws is thrown in its
   *  place. */
  readonly beforeWrite?: () => void;
  /** Counts every request. */
  readonly metrics?: Metrics | undefined;
}

/** They are asked by creating them, and leave nothing behind. */
const reviews = /^\/apis\/(?:authentication|authorization)\.k8s\.io\//;
const maxTries = 5;
const maxRetryAfterMs = 30_000;

/** A request, and whether sending it twice does no more than sending it once. */
export interface Sendable extends WireRequest {
  readonly isRepeatable: boolean;
  /** Members and items of the answer, all levels together; any number by default. */
  readonly maxBodyValues?: number;
  /** Called with each warning of the server, whether it accepts the request or not. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Called before it is sent again because there was no answer. */
  readonly onRepeat?: (() => void) | undefined;
}

function isWrite({ method, path }: WireRequest): boolean {
  return method !== 'GET' && !reviews.test(path);
}

function retryAfterMs(response: WireResponse): number | undefined {
  const header = response.headers['retry-after'];
  const seconds = typeof header === 'string' ? Number(header) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, maxRetryAfterMs) : undefined;
}

/** Undefined unless the server asks to come back later. */
function overloadPauseMs(response: WireResponse): number | undefined {
  const waitMs = retryAfterMs(response);
  if (response.status === 429) return waitMs ?? 1000;
  return response.status === 503 ? waitMs : undefined;
}

function isUnanswered(thrown: unknown): boolean {
  return isKubeError(thrown) && thrown.failure.status === 0;
}

/** A response that is not JSON was cut off, or comes from a proxy: it carries no result, and a retry may.
 *  @throws KubeUnavailable BadAnswer, for success alone · TerminalError TooDeeplyNested, ForbiddenKey, TooManyValues */
function bodyOf(what: string, response: WireResponse, maxValues: number | undefined): JsonValue {
  const type = String(response.headers['content-type'] ?? '');
  if (!type.includes('json')) return response.text;
  try {
    return parseJson(what, response.text, maxValues === undefined ? {} : { maxValues });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'InvalidJson') throw thrown;
    if (response.status >= 400) return response.text;
    const failure = { status: 0, reason: 'BadAnswer', message: thrown.message, causes: [], isStatus: false };
    throw new KubeUnavailable(failure, { cause: thrown });
  }
}

function passWarnings({ onWarning }: Sendable, { headers }: WireResponse): void {
  for (const text of warningsOf(headers['warning'])) onWarning?.(text);
}

export interface Answer {
  readonly body: JsonValue;
  readonly status: number;
  /** When the server answered, by its own clock, in whole seconds; NaN when it sends none. */
  readonly dateMs: number;
}

interface Retry {
  readonly waitMs: number;
  readonly error: unknown;
}

export interface Sender {
  /** Sends, throws for a status of 400 or more, repeats what may be repeated. */
  send(request: Sendable): Promise<Answer>;
  open(request: WireRequest): Promise<IncomingMessage>;
  close(): void;
}

/** A sender over its own transport. */
export function createSender(options: KubeClientOptions): Sender {
  const plain = createTransport(options.access, {
    deadlineMs: options.deadlineMs ?? 30_000,
    maxBodyBytes: options.maxBodyBytes ?? 64 * 1024 * 1024,
  });
  const transport = measuredTransport(plain, options.metrics);
  const once = async (request: Sendable): Promise<Answer | Retry> => {
    const what = `${request.method} ${request.path.replace(/\?.*/, '')}`;
    const beforeSend = isWrite(request) ? options.beforeWrite : undefined;
    beforeSend?.();
    try {
      const response = await transport.exchange({ ...request, beforeSend });
      passWarnings(request, response);
      const body = bodyOf(what, response, request.maxBodyValues);
      const dateMs = Date.parse(String(response.headers['date']));
      if (response.status < 400) return { body, status: response.status, dateMs };
      const error = kubeErrorOf(what, { status: response.status, body, path: request.path });
      const waitMs = isBudgetRefusal(error) ? undefined : overloadPauseMs(response);
      if (waitMs !== undefined) return { waitMs, error };
      throw error;
    } catch (thrown) {
      if (isUnanswered(thrown) && request.isRepeatable) return { waitMs: 100, error: thrown };
      throw thrown;
    }
  };
  return {
    send: async (request) => {
      for (let tries = 1; ; tries++) {
        const outcome = await once(request);
        if ('body' in outcome) return outcome;
        if (tries === maxTries) throw outcome.error;
        if (isUnanswered(outcome.error)) request.onRepeat?.();
        const jitter = 0.5 + Math.random();
        await options.clock.sleep(outcome.waitMs * tries * jitter, { signal: request.signal });
      }
    },
    open: (request) => transport.open(request),
    close: () => {
      transport.close();
    },
  };
}

/** The error for a watch that was refused. */
export async function refusalOf(response: IncomingMessage, what: string): Promise<Error> {
  const status = response.statusCode ?? 0;
  let text = '';
  try {
    response.setEncoding('utf8');
    for await (const chunk of response) text = `${text}${String(chunk)}`.slice(0, 65_536);
    const isJson = String(response.headers['content-type']).includes('json');
    return kubeErrorOf(what, { status, body: isJson ? parseJson(what, text) : text });
  } catch (thrown) {
    const message = `${what}: ${errorMessage(thrown)}`;
    const failure = { status, reason: 'BadAnswer', message, causes: [], isStatus: false };
    return new KubeUnavailable(failure, { cause: thrown });
  }
}
