import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  listAt,
  objectAt,
  type ProxySettings,
  parseJson,
  serverText,
  TerminalError,
  TransientError,
  textAt,
  withDeadline,
  withoutSecret,
} from '../../base/index.ts';
import { createHttpClient, type HttpClient, readBody } from '../../sources/index.ts';

/** Where rules of type PromQL are evaluated. */
export interface PrometheusTarget {
  /** Base URL of the API, without `/api/v1`. */
  readonly url: string;
  /** PEM texts of authorities trusted beside those of the system. */
  readonly caPem?: readonly string[];
  /** Bearer token, read before each query, since tokens of service accounts are replaced. */
  readonly token?: (() => Promise<string>) | undefined;
  readonly proxies?: ProxySettings | undefined;
  /** The longest time that one query may take; 5 minutes by default. */
  readonly deadlineMs?: number;
}

/** Evaluates queries. */
export interface PromqlEvaluator extends Disposable {
  /** Whether the result of an instant query is one sample of value 1; false for 0.
   *  @throws TransientError PromqlFailed for everything else, in the words of the reference */
  matches(query: string, signal: AbortSignal): Promise<boolean>;
}

const defaultDeadlineMs = 5 * 60_000;
const maxBytes = 4 * 1024 * 1024;
/** With these statuses a Prometheus answers with a document that has the error. */
const documentStatuses: ReadonlySet<number> = new Set([400, 422]);

function refuse(text: string, cause?: unknown): never {
  throw new TransientError('PromqlFailed', text, { cause });
}

function parseBody(body: string): JsonObject {
  let document: unknown;
  try {
    document = parseJson('response', body);
  } catch (thrown) {
    return refuse(`executing PromQL query: bad_response: ${serverText(errorMessage(thrown))}`, thrown);
  }
  return isJsonObject(document) ? document : refuse('executing PromQL query: bad_response: expected an object');
}

function statusProblem(status: number): string {
  if (status >= 400 && status < 500) return `client_error: client error: ${status}`;
  return status >= 500 ? `server_error: server error: ${status}` : `bad_response: bad response code ${status}`;
}

function readDocument(status: number, body: string): JsonObject | undefined {
  const isSuccess = status >= 200 && status < 300;
  if (!isSuccess && !documentStatuses.has(status)) {
    return refuse(`executing PromQL query: ${statusProblem(status)}`);
  }
  const document = parseBody(body);
  if (textAt(document, 'status') === 'error') {
    const text = `${textAt(document, 'errorType')}: ${textAt(document, 'error')}`;
    return refuse(`executing PromQL query: ${serverText(text)}`);
  }
  if (!isSuccess) return refuse('executing PromQL query: bad_response: inconsistent body for response code');
  return objectAt(document, 'data');
}

function matchOf(data: JsonObject | undefined): boolean {
  const type = textAt(data, 'resultType');
  if (type !== 'vector') return refuse(`invalid PromQL result type is ${serverText(type, 100)}, not vector`);
  const samples = listAt(data, 'result');
  const [sample] = samples;
  if (samples.length !== 1) return refuse(`invalid PromQL result length must be one, but is ${samples.length}`);
  const pair = isJsonObject(sample) ? listAt(sample, 'value') : [];
  const [, value] = pair;
  if (Number(value) === 0 && value !== '') return false;
  if (Number(value) === 1) return true;
  const shown = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return refuse(`invalid PromQL result (must be 0 or 1): ${serverText(shown, 100)}`);
}

async function query(
  http: HttpClient,
  { url, token }: PrometheusTarget,
  { promql, signal }: { readonly promql: string; readonly signal: AbortSignal },
): Promise<boolean> {
  const address = new URL(`${url.replace(/\/+$/, '')}/api/v1/query`);
  address.searchParams.set('query', promql);
  const secret = token === undefined ? '' : (await token()).trim();
  const bearer = secret === '' ? {} : { authorization: `Bearer ${secret}` };
  // By GET: a proxy that authorizes requests takes POST for a creation.
  const request = { method: 'GET', url: address.href, headers: bearer, signal } as const;
  const response = await http.send(request);
  const body = withoutSecret((await readBody(request, response, maxBytes)).toString('utf8'), secret);
  return matchOf(readDocument(response.status, body));
}

/** The address without the query, which would fill the message. */
function withoutQuery(text: string): string {
  return text.replace(/\?query=\S*(?=: )/, '');
}

/** Evaluates rules by a Prometheus, or what speaks its API.
 *  @throws TerminalError InvalidUrl
 *  @see docs/spec/cluster-version.md#risks */
export function createPromqlEvaluator(target: PrometheusTarget): PromqlEvaluator {
  if (!/^https?:\/\//.test(target.url) || !URL.canParse(target.url)) {
    throw new TerminalError('InvalidUrl', `${target.url}: expected http://HOST or https://HOST of a Prometheus`);
  }
  const { deadlineMs = defaultDeadlineMs, caPem = [], proxies } = target;
  const http = createHttpClient({ caPem, proxies, answerDeadlineMs: deadlineMs });
  return {
    matches: async (promql, outer) => {
      try {
        const work = (signal: AbortSignal): Promise<boolean> => query(http, target, { promql, signal });
        return await withDeadline(`GET ${new URL(target.url).origin}`, { deadlineMs, signal: outer }, work);
      } catch (thrown) {
        if (outer.aborted || (thrown instanceof TransientError && thrown.reason === 'PromqlFailed')) throw thrown;
        return refuse(`executing PromQL query: ${withoutQuery(errorMessage(thrown))}`, thrown);
      }
    },
    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}
