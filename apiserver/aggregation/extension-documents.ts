import { countValues, isJsonEqual, type JsonObject, type Logger, objectAt, textAt } from '../../src/base/index.ts';
import type { ExtensionVersion } from '../discovery/index.ts';
import type { Backend, Backends } from './backends.ts';
import { aggregatedVersionIn, aggregatedVersionOf } from './discovery-versions.ts';
import { fetchDocument, objectIn } from './fetch-document.ts';

const fetchMs = 10_000;
const maxDiscoveryBytes = 2 * 1024 * 1024;
const maxOpenApiBytes = 8 * 1024 * 1024;
/** Of the documents of all extension servers. */
const maxAllBytes = 64 * 1024 * 1024;
/** What a value counts as at least, however short it is. */
const bytesPerValue = 16;
const aggregatedAccept = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

interface Known extends ExtensionVersion {
  readonly bytes: number;
}

/** The discovery and OpenAPI documents of extension servers, as they were when last asked for. */
export class ExtensionDocuments {
  readonly #backends: Backends;
  readonly #log: Logger;
  readonly #known = new Map<string, Known>();
  #edition = 0;

  constructor(backends: Backends, log: Logger) {
    this.#backends = backends;
    this.#log = log;
  }

  /** Grows with every change. */
  get edition(): number {
    return this.#edition;
  }

  /** Something that the documents are ordered by has changed. */
  touch(): void {
    this.#edition += 1;
  }

  of(name: string): ExtensionVersion | undefined {
    return this.#known.get(name);
  }

  forget(name: string): void {
    if (this.#known.delete(name)) this.touch();
  }

  /** Reads the documents again. Those of a server that is unavailable become stale. */
  async refresh(backend: Backend, isAvailable: boolean): Promise<void> {
    const before = this.#known.get(backend.name);
    const next = isAvailable ? await this.#read(backend, before) : stale(before);
    const isSame = before !== undefined && isJsonEqual({ ...before } as JsonObject, { ...next } as JsonObject);
    if (isSame) return;
    this.#known.set(backend.name, next);
    this.touch();
  }

  async #read(backend: Backend, before: Known | undefined): Promise<Known> {
    try {
      const resources = await this.#discovery(backend);
      if (resources === undefined) return stale(before);
      const [openApiV2, openApiV3] = await Promise.all([
        this.#optional(backend, () => this.#openApi(backend, '/openapi/v2')),
        this.#optional(backend, () => this.#openApiV3(backend)),
      ]);
      const bytes = (openApiV2?.bytes ?? 0) + (openApiV3?.bytes ?? 0);
      const others = [...this.#known].filter(([name]) => name !== backend.name);
      const isTooMuch = others.reduce((sum, [, known]) => sum + known.bytes, bytes) > maxAllBytes;
      if (isTooMuch) {
        this.#log.warn(
          { apiService: backend.name, maxAllBytes },
          'OpenAPI documents of extension servers are too large',
        );
        return { resources, isStale: false, bytes: 0, openApiV2: undefined, openApiV3: undefined };
      }
      return { resources, isStale: false, bytes, openApiV2: openApiV2?.document, openApiV3: openApiV3?.document };
    } catch (thrown) {
      this.#log.debug({ err: thrown, apiService: backend.name }, 'discovery of an extension server failed');
      return stale(before);
    }
  }

  /** A server without OpenAPI is one without `kubectl explain`. */
  async #optional<T>(backend: Backend, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (thrown) {
      this.#log.debug({ err: thrown, apiService: backend.name }, 'OpenAPI of an extension server could not be read');
      return undefined;
    }
  }

  async #discovery(backend: Backend): Promise<readonly JsonObject[] | undefined> {
    const { group, version } = backend;
    const request = { maxBytes: maxDiscoveryBytes, signal: AbortSignal.timeout(fetchMs) };
    const all = await fetchDocument(this.#backends, backend, { ...request, path: '/apis', accept: aggregatedAccept });
    if (all.contentType.includes('as=APIGroupDiscoveryList')) {
      const found = aggregatedVersionIn(objectIn(all, '/apis') ?? {}, backend);
      if (found !== undefined) return found;
    }
    const path = `/apis/${group}/${version}`;
    const one = await fetchDocument(this.#backends, backend, { ...request, path, accept: 'application/json' });
    const list = objectIn(one, path);
    return list === undefined ? undefined : aggregatedVersionOf(list);
  }

  async #openApi(backend: Backend, path: string): Promise<{ document: JsonObject; bytes: number } | undefined> {
    const signal = AbortSignal.timeout(fetchMs);
    const request = { path, accept: 'application/json', maxBytes: maxOpenApiBytes, signal };
    const fetched = await fetchDocument(this.#backends, backend, request);
    const document = objectIn(fetched, path);
    return document === undefined ? undefined : { document, bytes: weightOf(fetched.body) };
  }

  async #openApiV3(backend: Backend): Promise<{ document: JsonObject; bytes: number } | undefined> {
    const { group, version } = backend;
    const key = `apis/${group}/${version}`;
    const index = await this.#openApi(backend, '/openapi/v3');
    const url = textAt(objectAt(index?.document, 'paths', key), 'serverRelativeURL');
    return url === '' ? undefined : await this.#openApi(backend, `/openapi/v3/${key}`);
  }
}

/** What a document takes of the limit for all. */
function weightOf(body: Buffer): number {
  return Math.max(body.length, bytesPerValue * countValues(body.toString(), body.length));
}

function stale(before: Known | undefined): Known {
  const nothing = { resources: undefined, bytes: 0, openApiV2: undefined, openApiV3: undefined };
  return { ...(before ?? nothing), isStale: true };
}
