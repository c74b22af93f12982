import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage, goQuote, type Logger } from '../../base/index.ts';
import type { Metrics } from '../../metrics/index.ts';
import type { CatalogIndex, MetaFilter, MetaSelection } from '../store/catalog-index.ts';
import { gzipHeader, gzipTrailer } from '../store/gzip-segments.ts';
import { releaseBytes } from '../store/release.ts';
import { acceptsGzip, type ByteRange, type Representation, refusedCondition, requestedRange } from './conditions.ts';

const answerDeadlineMs = 5 * 60_000;
const minCompressedBytes = 1400;
const chunkBytes = 128 * 1024;
const subdomain = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const statusTexts: Readonly<Record<number, string>> = {
  400: '400 Bad Request',
  404: '404 Not Found',
  405: 'Method Not Allowed',
  412: '412 Precondition Failed',
  416: '416 Requested Range Not Satisfiable',
  500: '500 Internal Server Error',
};

/** A request that is answered from one catalog in a way of its own. */
export interface CatalogQuery {
  readonly index: CatalogIndex;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Ends when the client disconnects, or has waited for too long. */
  readonly signal: AbortSignal;
}

export interface CatalogHandlerOptions {
  readonly log: Logger;
  /** Called for every request. */
  readonly metrics?: Metrics;
  /** The catalog of a name, as it is now; undefined while there is none. An index that is replaced may be closed at once: requests that are under
   *  way keep it open. */
  readonly catalogOf: (name: string) => CatalogIndex | undefined;
  /** Whether parts of catalogs are served at `/metas`; true when absent. */
  readonly hasMetas?: boolean;
  /** Answers POST to `/graphql`; without it this is refused. */
  readonly graphql?: (query: CatalogQuery) => Promise<void>;
}

type Service = 'all' | 'metas' | 'graphql';

const allowedMethods: Readonly<Record<Service, readonly string[]>> = {
  all: ['GET', 'HEAD'],
  metas: ['GET', 'HEAD'],
  graphql: ['POST'],
};

/** Clients may send anything. */
function methodLabel({ method = '' }: IncomingMessage): string {
  return ['GET', 'HEAD', 'POST'].includes(method) ? method.toLowerCase() : 'other';
}

interface Target {
  readonly name: string;
  readonly service: Service;
  readonly parameters: URLSearchParams;
}

interface Content {
  readonly selection: MetaSelection;
  readonly range: ByteRange | undefined;
  readonly isCompressed: boolean;
}

function targetOf(url: string): Target | undefined {
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
  const [, name = '', service = ''] = /^\/catalogs\/([^/]+)\/api\/v1\/(all|metas|graphql)$/.exec(path) ?? [];
  if (service === '') return undefined;
  return { name, service: service as Service, parameters: new URLSearchParams(query) };
}

const knownParameters = ['schema', 'package', 'name', 'includePackage'];
const maxShownCharacters = 64;

/** What to choose of the documents; a text for parameters that there are not. */
function filterOf(parameters: URLSearchParams): MetaFilter | string {
  const shown = (text: string): string => goQuote(text.slice(0, maxShownCharacters));
  const unknown = [...parameters.keys()].find((key) => !knownParameters.includes(key));
  if (unknown !== undefined) return `unknown parameter ${shown(unknown)}: expected ${knownParameters.join(', ')}`;
  const include = parameters.get('includePackage') ?? 'false';
  if (!['true', 'false'].includes(include)) return `includePackage is ${shown(include)}: expected true or false`;
  // As if it were not there.
  const given = (key: string): string | undefined => parameters.get(key) || undefined;
  return {
    schema: given('schema'),
    package: given('package'),
    name: given('name'),
    isPackageIncluded: include === 'true',
  };
}

function reply(response: ServerResponse, status: number, text = statusTexts[status] ?? ''): void {
  if (response.headersSent) return void response.destroy();
  // An unread body must not hold the connection.
  if (!response.req.complete) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  response.end(response.req.method === 'HEAD' ? undefined : `${text}\n`);
}

function representationOf({ digest, storedAtMs }: CatalogIndex): Representation {
  const tag = digest.replace(/^sha256:/, '');
  return { etags: [`"${tag}"`, `"${tag}-gzip"`], modifiedAtMs: storedAtMs };
}

function contentOf(
  { method, headers }: IncomingMessage,
  of: { readonly selection: MetaSelection; readonly served: Representation; readonly hasRanges: boolean },
): Content | 'unsatisfiable' {
  const { selection, served, hasRanges } = of;
  const { lengthBytes } = selection;
  const range = hasRanges && method === 'GET' ? requestedRange(headers, { ...served, lengthBytes }) : undefined;
  if (range === 'unsatisfiable') return range;
  const isWorthIt = range === undefined && lengthBytes > minCompressedBytes;
  return { selection, range, isCompressed: isWorthIt && acceptsGzip(headers['accept-encoding']) };
}

/** In pieces of some size, whatever the size of the parts, whose memory is given back. */
function* joined(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  let [waiting, bytes]: [Uint8Array[], number] = [[], 0];
  const take = (): Uint8Array => {
    const whole = Buffer.concat(waiting, bytes);
    for (const part of waiting) releaseBytes(part);
    [waiting, bytes] = [[], 0];
    return whole;
  };
  for (const part of parts) {
    if (bytes > 0 && bytes + part.length > chunkBytes) yield take();
    if (part.length >= chunkBytes) {
      yield part;
      continue;
    }
    waiting.push(part);
    bytes += part.length;
  }
  if (bytes > 0) yield take();
}

function* bytesOf({ selection, range, isCompressed }: Content): Generator<Uint8Array> {
  if (isCompressed) {
    yield gzipHeader();
    yield* selection.segments();
    yield gzipTrailer(selection.checksum(), selection.lengthBytes);
  } else yield* selection.lines(range?.startByte, range?.endByte);
}

/** Serves catalogs as catalogd does: `/catalogs/<name>/api/v1/all`, `/metas` and, where it is given, `/graphql`. Besides: strong ETags, an Allow header,
 *  and `includePackage=true`, with which `package=p` means the `olm.package` of that name, too.
 *  @see docs/spec/catalogs.md#v1-http-api */
export class CatalogHandler {
  readonly #options: CatalogHandlerOptions;

  constructor(options: CatalogHandlerOptions) {
    this.#options = options;
  }

  /** Answers; never throws. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    const startedMs = performance.now();
    const late = setTimeout(() => gone.abort(new Error('the client reads too slowly')), answerDeadlineMs);
    response.once('close', () => {
      clearTimeout(late);
      gone.abort();
      const labels = { code: String(response.statusCode), method: methodLabel(request) };
      const tookMs = performance.now() - startedMs;
      this.#options.metrics?.time('catalogd_http_request_duration_seconds', labels, tookMs);
    });
    try {
      await this.#answer(request, response, gone.signal);
    } catch (thrown) {
      if (!response.closed) {
        this.#options.log.warn({ path: request.url, message: errorMessage(thrown) }, 'catalog request failed');
      }
      reply(response, 500);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const target = targetOf(request.url ?? '');
    if (target === undefined || !this.#isServed(target.service)) return reply(response, 404);
    const allowed = allowedMethods[target.service];
    if (!allowed.includes(request.method ?? '')) {
      response.setHeader('allow', allowed.join(', '));
      return reply(response, 405, target.service === 'graphql' ? 'Only POST is allowed' : undefined);
    }
    if (!subdomain.test(target.name)) return reply(response, 400, `invalid catalog name: ${subdomainRule}`);
    const index = this.#options.catalogOf(target.name);
    if (index === undefined) return reply(response, 404);
    using _user = index.use();
    await this.#serve(target, { index, request, response, signal });
  }

  #isServed(service: Service): boolean {
    return service !== 'metas' || this.#options.hasMetas !== false;
  }

  async #serve({ service, parameters }: Target, query: CatalogQuery): Promise<void> {
    if (service === 'graphql') {
      const { graphql } = this.#options;
      return graphql === undefined
        ? reply(query.response, 503, 'GraphQL queries are not enabled')
        : await graphql(query);
    }
    const filter = service === 'all' ? {} : filterOf(parameters);
    if (typeof filter === 'string') return reply(query.response, 400, `${statusTexts[400]}: ${filter}`);
    await this.#sendMetas(query, filter, service === 'all');
  }

  async #sendMetas(query: CatalogQuery, filter: MetaFilter, hasRanges: boolean): Promise<void> {
    const { index, request, response } = query;
    const selection = index.select(filter);
    const served = representationOf(index);
    const content = contentOf(request, { selection, served, hasRanges });
    const { etags, modifiedAtMs } = served;
    response.setHeader('last-modified', new Date(modifiedAtMs).toUTCString());
    response.setHeader('vary', 'accept-encoding');
    response.setHeader('etag', (content !== 'unsatisfiable' && content.isCompressed ? etags[1] : etags[0]) ?? '');
    if (hasRanges) response.setHeader('accept-ranges', 'bytes');
    const refused = refusedCondition(request.headers, served);
    if (refused === 304) return void response.writeHead(304).end();
    if (refused !== undefined) return reply(response, refused);
    if (content !== 'unsatisfiable') return await this.#send(query, content);
    response.setHeader('content-range', `bytes */${selection.lengthBytes}`);
    reply(response, 416);
  }

  async #send({ request, response, signal }: CatalogQuery, content: Content): Promise<void> {
    const { selection, range, isCompressed } = content;
    response.setHeader('content-type', 'application/jsonl');
    response.setHeader('x-content-type-options', 'nosniff');
    if (isCompressed) response.setHeader('content-encoding', 'gzip');
    else {
      const { startByte, endByte } = range ?? { startByte: 0, endByte: selection.lengthBytes };
      response.setHeader('content-length', endByte - startByte);
      if (range !== undefined) {
        response.setHeader('content-range', `bytes ${startByte}-${endByte - 1}/${selection.lengthBytes}`);
      }
    }
    response.writeHead(range === undefined ? 200 : 206);
    if (request.method !== 'HEAD') {
      for (const bytes of joined(bytesOf(content))) {
        signal.throwIfAborted();
        if (!response.write(bytes, () => releaseBytes(bytes))) await once(response, 'drain', { signal });
      }
    }
    response.end();
  }
}
