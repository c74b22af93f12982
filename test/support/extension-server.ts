import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import {
  createCertificateAuthority,
  issueCertificate,
  type JsonObject,
  type JsonValue,
  type ServingPair,
} from '../../src/base/index.ts';

/** A request as an extension server receives it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Common name of the client certificate; '' without one. */
  readonly client: string;
}

/** Answers a request itself; false leaves it to the server. */
export type Override = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface ExtensionOptions {
  readonly group: string;
  /** Default `v1`. */
  readonly version?: string;
  /** Names in its certificate. */
  readonly dnsNames?: readonly string[];
  /** Serves aggregated discovery and OpenAPI 3, as current API servers do. Default true. */
  readonly isCurrent?: boolean;
  /** PEM of the authority that client certificates must be signed by. Default: any are accepted, none is required. */
  readonly clientCaPem?: string;
  /** Of widgets. Default: create, get, list, watch. */
  readonly verbs?: readonly string[];
  /** Answers requests to upgrade as any other, as servers do that know no other protocol. */
  readonly ignoresUpgrades?: boolean;
  /** Default: any free port. */
  readonly port?: number;
  /** Its certificate and the authority of it. Default: made for `dnsNames`. */
  readonly pair?: ServingPair;
}

const json = 'application/json';
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** A small extension API server on a loopback port: widgets, kept in memory. */
export class ExtensionServer implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  readonly port: number;
  /** Base64 of its authority, for `spec.caBundle`. */
  readonly caBundle: string;
  override: Override = () => false;
  readonly #group: string;
  readonly #version: string;
  readonly #isCurrent: boolean;
  readonly #verbs: readonly string[];
  readonly #widgets = new Map<string, JsonObject>();
  readonly #watchers = new Set<ServerResponse>();
  readonly #close: () => Promise<void>;

  constructor(options: ExtensionOptions, running: { port: number; caBundle: string; close: () => Promise<void> }) {
    this.#group = options.group;
    this.#version = options.version ?? 'v1';
    this.#isCurrent = options.isCurrent ?? true;
    this.#verbs = options.verbs ?? ['create', 'get', 'list', 'watch'];
    this.port = running.port;
    this.caBundle = running.caBundle;
    this.#close = running.close;
  }

  get groupVersion(): string {
    return `${this.#group}/${this.#version}`;
  }

  /** Stores a widget without a request. */
  addWidget(namespace: string, name: string): void {
    const widget: JsonObject = { apiVersion: this.groupVersion, kind: 'Widget', metadata: { name, namespace } };
    this.#widgets.set(`${namespace}/${name}`, widget);
  }

  /** `namespace/name` of the widgets that it stores. */
  get widgetKeys(): readonly string[] {
    return [...this.#widgets.keys()];
  }

  /** The last request on a path. */
  last(path: string): ReceivedRequest | undefined {
    return this.requests.findLast(({ url }) => url.split('?')[0] === path);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#record(request);
    if (this.override(request, response)) return;
    const url = new URL(request.url ?? '/', 'https://extension');
    const document = this.#document(url.pathname, request.headers.accept ?? '');
    if (document === undefined) await this.#resource(request, response, url);
    else response.writeHead(200, { 'content-type': document.type ?? json }).end(JSON.stringify(document.body));
  }

  async #resource(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, namespace = '', name = '', subresource = ''] =
      new RegExp(`^/apis/${this.groupVersion}(?:/namespaces/([^/]+))?/widgets(?:/([^/]+))?(?:/([^/]+))?$`)
        .exec(url.pathname)
        ?.map((part) => part ?? '') ?? [];
    if (!url.pathname.includes('/widgets')) return send(response, 404, status(404, 'not found'));
    if (subresource === 'echo') return await echo(request, response);
    await this.#objects({ request, response, url, namespace, name });
  }

  /** Takes a connection over and sends back what arrives. */
  upgrade(request: IncomingMessage, socket: Duplex): void {
    this.#record(request);
    socket.on('error', () => socket.destroy());
    if (request.headers.upgrade !== 'echo') {
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n');
      return;
    }
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-Echo: yes\r\n\r\n');
    socket.pipe(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  #record(request: IncomingMessage): void {
    const { CN: client = '' } = ((request.socket as TLSSocket).getPeerCertificate().subject ?? {}) as { CN?: string };
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, url, headers, client });
  }

  async #objects(about: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly url: URL;
    readonly namespace: string;
    readonly name: string;
  }): Promise<void> {
    const { request, response, url, namespace, name } = about;
    const apiVersion = this.groupVersion;
    if (request.method === 'POST') {
      const widget: JsonObject = { apiVersion, kind: 'Widget', ...(JSON.parse(await readText(request)) as JsonObject) };
      const { name: own } = widget.metadata as { name: string };
      const stored = { ...widget, metadata: { ...(widget.metadata as JsonObject), namespace, resourceVersion: '1' } };
      this.#widgets.set(`${namespace}/${own}`, stored);
      for (const watcher of this.#watchers) watcher.write(`${JSON.stringify({ type: 'ADDED', object: stored })}\n`);
      return send(response, 201, stored);
    }
    if (request.method === 'DELETE') return this.#deleteWidgets(response, `${namespace}/${name}`);
    if (name !== '') {
      const found = this.#widgets.get(`${namespace}/${name}`);
      return send(response, found === undefined ? 404 : 200, found ?? status(404, `widgets "${name}" not found`));
    }
    const items = [...this.#widgets].filter(([key]) => namespace === '' || key.startsWith(`${namespace}/`));
    const objects = items.map(([, object]) => object);
    if (url.searchParams.get('watch') === null) {
      return send(response, 200, {
        apiVersion,
        kind: 'WidgetList',
        metadata: { resourceVersion: '1' },
        items: objects,
      });
    }
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    for (const object of objects) response.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    this.#watchers.add(response);
    response.on('close', () => this.#watchers.delete(response));
  }

  /** Key of one, or with an empty name of all in a namespace. */
  #deleteWidgets(response: ServerResponse, key: string): void {
    const isCollection = key.endsWith('/');
    if (isCollection && !this.#verbs.includes('deletecollection'))
      return send(response, 405, status(405, 'not allowed'));
    const found = [...this.#widgets.keys()].filter((one) => (isCollection ? one.startsWith(key) : one === key));
    for (const one of found) this.#widgets.delete(one);
    const code = found.length > 0 || isCollection ? 200 : 404;
    return send(response, code, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' });
  }

  #document(path: string, accept: string): { readonly body: JsonValue; readonly type?: string } | undefined {
    const [group, version] = [this.#group, this.#version];
    const groupVersion = { groupVersion: this.groupVersion, version };
    const entry = { name: group, versions: [groupVersion], preferredVersion: groupVersion };
    if (path === '/apis' && this.#isCurrent && accept.includes('v=v2;')) {
      return { body: this.#aggregated(), type: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
    }
    if (path === '/apis') return { body: { kind: 'APIGroupList', apiVersion: 'v1', groups: [entry] } };
    if (path === `/apis/${group}`) return { body: { kind: 'APIGroup', apiVersion: 'v1', ...entry } };
    if (path === `/apis/${this.groupVersion}`) return { body: this.#resources() };
    return this.#openApiAt(path);
  }

  #openApiAt(path: string): { readonly body: JsonValue } | undefined {
    if (path === '/openapi/v2') return { body: this.#openApi('2') };
    if (!this.#isCurrent) return undefined;
    const key = `apis/${this.groupVersion}`;
    const v3 = `/openapi/v3/${key}`;
    if (path === '/openapi/v3') return { body: { paths: { [key]: { serverRelativeURL: `${v3}?hash=1` } } } };
    return path === v3 ? { body: this.#openApi('3') } : undefined;
  }

  #resources(): JsonObject {
    const verbs = [...this.#verbs];
    const widgets = { name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', verbs };
    const echoes = { name: 'widgets/echo', singularName: '', namespaced: true, kind: 'Widget', verbs: ['get'] };
    const resources = [{ ...widgets, shortNames: ['wd'] }, echoes];
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: this.groupVersion, resources };
  }

  #aggregated(): JsonObject {
    const responseKind = { group: this.#group, version: this.#version, kind: 'Widget' };
    const resource = {
      resource: 'widgets',
      responseKind,
      scope: 'Namespaced',
      singularResource: 'widget',
      verbs: [...this.#verbs],
      shortNames: ['wd'],
      subresources: [{ subresource: 'echo', responseKind, verbs: ['get'] }],
    };
    const versions = [{ version: this.#version, resources: [resource], freshness: 'Current' }];
    const items = [{ metadata: { name: this.#group, creationTimestamp: null }, versions }];
    return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  }

  #openApi(edition: '2' | '3'): JsonObject {
    const root = edition === '2' ? '#/definitions' : '#/components/schemas';
    const kind = { group: this.#group, version: this.#version, kind: 'Widget' };
    const schemas = {
      'com.example.Widget': {
        description: 'Widget is what this server keeps.',
        type: 'object',
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          metadata:
            edition === '2' ? { $ref: `${root}/${meta}` } : { allOf: [{ $ref: `${root}/${meta}` }], default: {} },
          size: { description: 'Size in centimetres.', type: 'integer' },
        },
        'x-kubernetes-group-version-kind': [kind],
      },
      [meta]: { description: 'Metadata.', type: 'object', properties: { name: { type: 'string' } } },
    };
    const path = `/apis/${this.groupVersion}/namespaces/{namespace}/widgets`;
    const schema = { $ref: `${root}/com.example.Widget` };
    const content = edition === '2' ? { schema } : { content: { 'application/json': { schema } } };
    const get = {
      operationId: 'listWidgets',
      responses: { 200: { description: 'OK', ...content } },
      'x-kubernetes-action': 'list',
      'x-kubernetes-group-version-kind': kind,
    };
    const paths = { [path]: { get } };
    const info = { title: 'Widgets', version: '1' };
    return edition === '2'
      ? { swagger: '2.0', info, paths, definitions: schemas }
      : { openapi: '3.0.0', info, paths, components: { schemas } };
  }
}

function send(response: ServerResponse, code: number, body: JsonValue): void {
  response.writeHead(code, { 'content-type': json }).end(JSON.stringify(body));
}

function status(code: number, message: string): JsonObject {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: 'NotFound', code };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  send(response, 200, { method, url, headers: headers as JsonObject, body: await readText(request) });
}

async function createPair(dnsNames: readonly string[]): Promise<ServingPair> {
  const nowMs = Date.now();
  const authority = await createCertificateAuthority({ commonName: 'extension-ca', nowMs, lifetimeDays: 1 });
  const request = { commonName: 'extension', usage: 'server' as const, dnsNames, nowMs, lifetimeDays: 1 };
  return { ...(await issueCertificate(authority, request)), caBundlePem: authority.certificatePem };
}

/** Starts one. */
export async function startExtensionServer(options: ExtensionOptions): Promise<ExtensionServer> {
  const pair = options.pair ?? (await createPair(options.dnsNames ?? ['localhost']));
  const { certificatePem, privateKeyPem, caBundlePem } = pair;
  const server = createServer({
    cert: certificatePem,
    key: privateKeyPem,
    requestCert: true,
    rejectUnauthorized: options.clientCaPem !== undefined,
    ...(options.clientCaPem === undefined ? {} : { ca: options.clientCaPem }),
  });
  await new Promise<void>((resolve) => void server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const sockets = new Set<Duplex>();
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  const caBundle = Buffer.from(caBundlePem).toString('base64');
  const extension = new ExtensionServer(options, { port: (server.address() as AddressInfo).port, caBundle, close });
  server.on('request', (asked, response) => {
    extension.answer(asked, response).catch(() => response.destroy());
  });
  if (options.ignoresUpgrades !== true) server.on('upgrade', (asked, socket) => extension.upgrade(asked, socket));
  return extension;
}
