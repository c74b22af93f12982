import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, errorMessage, type JsonObject, type Logger } from '../../base/index.ts';
import {
  type AccessReviews,
  type RequestAttributes,
  type RequestAuthenticator,
  type RequestUser,
  requestAttributes,
} from '../../extension-server/index.ts';
import { tenantOf } from '../../kube/index.ts';
import { packagesGroup, packagesResource, packagesVersion } from './api.ts';
import { documentAt } from './documents.ts';
import { sendIcon } from './icon.ts';
import { type LabelSelector, parseLabelSelector } from './label-selector.ts';
import { ListSlots, maxLists } from './list-slots.ts';
import type { Packages } from './packages.ts';
import { forbidden, noSuchPackage, notSupported, Refusal } from './refusal.ts';
import { type Representation, representationFor } from './representation.ts';

const retrySeconds = 1;
const probes: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);

export interface PackageHandlerDeps {
  readonly packages: Packages;
  readonly authenticator: Pick<RequestAuthenticator, 'authenticate'>;
  readonly reviews: AccessReviews;
  readonly clock: Clock;
  readonly log: Logger;
}

type ResourceAttributes = Extract<RequestAttributes, { readonly kind: 'resource' }>;

/** A request of a user who may. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly attributes: ResourceAttributes;
  readonly user: RequestUser;
}

function readAttributes({ method = '', url = '' }: IncomingMessage): RequestAttributes {
  try {
    return requestAttributes(method, url);
  } catch (thrown) {
    if (thrown instanceof URIError) throw new Refusal(400, 'the path has an invalid escape');
    throw thrown;
  }
}

const json = 'application/json';

interface Content {
  readonly code?: number;
  readonly body: JsonObject;
  readonly type?: string;
}

function sendJson(response: ServerResponse, { code = 200, body, type = json }: Content): void {
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-cache, private' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, { code, status }: Refusal): void {
  if (code === 429) response.setHeader('retry-after', String(retrySeconds));
  sendJson(response, { code, body: status });
}

function isServed({ group, version, resource, subresource }: ResourceAttributes): boolean {
  if (group !== packagesGroup || version !== packagesVersion || resource !== packagesResource) return false;
  return subresource === '' || subresource === 'icon';
}

function unknownPath(): Refusal {
  return new Refusal(404, 'the server could not find the requested resource');
}

function labelSelectorIn(query: URLSearchParams): LabelSelector {
  const text = query.get('labelSelector') ?? '';
  const selector = parseLabelSelector(text);
  if (selector === undefined)
    throw new Refusal(400, `unable to parse requirement: ${JSON.stringify(text.slice(0, 200))}`);
  return selector;
}

/** The name that `fieldSelector` selects; undefined for all. */
function nameIn(query: URLSearchParams): string | undefined {
  const text = query.get('fieldSelector') ?? '';
  if (text === '') return undefined;
  const [, name] = /^metadata\.name==?([^=,!]+)$/.exec(text) ?? [];
  if (name === undefined) throw new Refusal(400, `field label not supported: ${text.slice(0, 200)}`);
  return name;
}

/** Answers requests for PackageManifests, and for the documents of their API. Reads alone are supported.
 *  @see docs/spec/olm-v0.md#packagemanifest */
export class PackageHandler {
  readonly #deps: PackageHandlerDeps;
  readonly #lists = new ListSlots();

  constructor(deps: PackageHandlerDeps) {
    this.#deps = deps;
  }

  /** Never throws. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch (thrown) {
      if (response.headersSent || response.destroyed) return void response.destroy();
      if (thrown instanceof Refusal) return refuse(response, thrown);
      this.#deps.log.error({ message: errorMessage(thrown), url: request.url }, 'request for packages failed');
      refuse(response, new Refusal(500, 'the request could not be answered: the log of the controllers has the cause'));
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'https://packages');
    if (probes.has(pathname)) return void response.end('ok');
    const user = await this.#deps.authenticator.authenticate(request);
    if (user === undefined) throw new Refusal(401, 'Unauthorized');
    const attributes = readAttributes(request);
    await this.#assertAllowed(user, attributes);
    if (attributes.kind === 'resource')
      return await this.#answerResource({ request, response, query, attributes, user });
    const document = documentAt(pathname, request.headers.accept ?? '');
    if (document === undefined) throw unknownPath();
    sendJson(response, document);
  }

  /** Documents are for all users who have a name, as those of the API server are. */
  async #assertAllowed(user: RequestUser, attributes: RequestAttributes): Promise<void> {
    if (user.groups.includes('system:masters')) return;
    const isDocument = attributes.kind === 'path' && attributes.verb === 'get';
    if (isDocument && user.groups.includes('system:authenticated')) return;
    if (!(await this.#deps.reviews.isAllowed(user, attributes))) throw forbidden(user, attributes);
  }

  async #answerResource(asked: Asked): Promise<void> {
    const { verb, subresource, namespace, name } = asked.attributes;
    if (!isServed(asked.attributes)) throw unknownPath();
    if (verb !== 'get' && verb !== 'list') throw notSupported(verb);
    if (verb === 'list') return await this.#list(asked);
    if (namespace === '') throw noSuchPackage(name);
    if (subresource === '') return await this.#get(asked);
    const found = this.#deps.packages.icon(namespace, name);
    if (found === undefined) throw noSuchPackage(name);
    sendIcon(asked.request, asked.response, found);
  }

  #representation({ request, query }: Asked): Representation {
    const found = representationFor(request.headers.accept ?? '', query, this.#deps.clock.now());
    if (found !== undefined) return found;
    throw new Refusal(406, 'only the following media types are accepted: application/json');
  }

  async #get(asked: Asked): Promise<void> {
    const { namespace, name } = asked.attributes;
    const representation = this.#representation(asked);
    for await (const found of this.#deps.packages.list({ namespace, name, selects: () => true })) {
      const body = representation.one(found);
      if (body !== undefined) return sendJson(asked.response, { body, type: representation.type });
    }
    throw noSuchPackage(name);
  }

  async #list(asked: Asked): Promise<void> {
    const { query, attributes } = asked;
    const { namespace } = attributes;
    const [selects, name] = [labelSelectorIn(query), nameIn(query)];
    const representation = this.#representation(asked);
    using slot = this.#lists.admit(tenantOf(asked.user.username));
    if (slot === undefined) throw new Refusal(429, `more than ${maxLists} lists at a time: try again later`);
    // What its client does not read makes room for others.
    slot.signal.addEventListener('abort', () => asked.response.destroy(), { once: true });
    const packages = { namespace: namespace === '' ? undefined : namespace, name, selects };
    await this.#writeList(asked.response, representation, packages);
  }

  /** One object after the other, as the client takes them: a list is never in memory as a whole. */
  async #writeList(
    response: ServerResponse,
    { type, head, items, item }: Representation,
    packages: Parameters<Packages['list']>[0],
  ): Promise<void> {
    const stop = new AbortController();
    response.once('close', () => stop.abort());
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache, private' });
    response.write(`${JSON.stringify(head).slice(0, -1)},"${items}":[`);
    let separator = '';
    for await (const found of this.#deps.packages.list(packages)) {
      const body = item(found);
      if (body === undefined) continue;
      if (stop.signal.aborted) return;
      if (!response.write(`${separator}${JSON.stringify(body)}`))
        await once(response, 'drain', { signal: stop.signal });
      separator = ',';
    }
    response.end(']}\n');
  }
}
