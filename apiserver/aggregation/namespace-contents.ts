import {
  type Clock,
  errorMessage,
  type JsonObject,
  listOfTexts,
  mapLimit,
  objectsAt,
  textAt,
  valueAt,
} from '../../src/base/index.ts';
import {
  Appointments,
  type ContentsElsewhere,
  type Controller,
  type RemainingElsewhere,
} from '../controllers/index.ts';
import { type Cluster, type ClusterEvent, completeUser } from '../core/index.ts';
import { apiServiceType, type Backend, type Backends, backendOf } from './backends.ts';
import type { ExtensionDocuments } from './extension-documents.ts';
import { type DocumentRequest, type FetchedDocument, fetchDocument, objectIn } from './fetch-document.ts';

const user = completeUser('system:serviceaccount:kube-system:namespace-controller', []);
const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
/** For all objects of one server in a namespace: what is left after it is for the next attempt. */
const deadlineMs = 10_000;
const maxBytes = 4 * 1024 * 1024;
const pageSize = 500;
const serversAtATime = 4;
const requestsAtATime = 8;
/** Names that a condition may have, which come from the servers. */
const maxNames = 50;
const maxNameLength = 200;
const firstWaitMs = 500;
const longestWaitMs = 30_000;
const unsupported = new Set([404, 405]);

function addCount(counts: Map<string, number>, name: string, count: number): void {
  const before = counts.get(name);
  if (before === undefined && (counts.size >= maxNames || name.length > maxNameLength)) return;
  counts.set(name, (before ?? 0) + count);
}

interface Resource {
  readonly plural: string;
  readonly isCollection: boolean;
}

/** The namespaced resources of a version that can be deleted. */
function deletableIn(resources: readonly JsonObject[]): Resource[] {
  return resources.flatMap((entry) => {
    const verbs = listOfTexts(entry, 'verbs');
    if (textAt(entry, 'scope') !== 'Namespaced' || !verbs.includes('delete')) return [];
    return [{ plural: textAt(entry, 'resource'), isCollection: verbs.includes('deletecollection') }];
  });
}

/** Empties the part of a namespace that one server has, once. */
class Emptying {
  readonly resources = new Map<string, number>();
  readonly finalizers = new Map<string, number>();
  readonly #backends: Backends;
  readonly #backend: Backend;
  readonly #root: string;
  readonly #signal = AbortSignal.timeout(deadlineMs);

  constructor(backends: Backends, backend: Backend, namespace: string) {
    this.#backends = backends;
    this.#backend = backend;
    this.#root = `/apis/${backend.group}/${backend.version}/namespaces/${encodeURIComponent(namespace)}`;
  }

  /** @throws Error when the server does not answer as it should */
  async run(resources: readonly JsonObject[]): Promise<void> {
    for (const resource of deletableIn(resources)) await this.#empty(resource);
  }

  async #empty({ plural, isCollection }: Resource): Promise<void> {
    const path = `${this.#root}/${encodeURIComponent(plural)}`;
    if (!isCollection || !(await this.#delete(path))) {
      const names = (await this.#list(path)).flatMap((metadata) => {
        return textAt(metadata, 'deletionTimestamp') === '' ? [textAt(metadata, 'name')] : [];
      });
      await mapLimit(names, requestsAtATime, (name) => this.#delete(`${path}/${encodeURIComponent(name)}`));
    }
    const left = await this.#list(path);
    if (left.length > 0) addCount(this.resources, `${plural}.${this.#backend.group}`, left.length);
    for (const name of left.flatMap((metadata) => listOfTexts(metadata, 'finalizers'))) {
      addCount(this.finalizers, name, 1);
    }
  }

  /** Whether the server has deleted, or can. */
  async #delete(path: string): Promise<boolean> {
    const { status } = await this.#ask(`${path}?propagationPolicy=Background`, 'DELETE');
    if (status >= 200 && status <= 299) return true;
    // Objects that an object's own finalizer retains, or that are being deleted already, answer 409.
    if (unsupported.has(status) || status === 409) return false;
    throw new Error(`DELETE ${path}: status ${status}`);
  }

  /** Metadata of the first objects. */
  async #list(path: string): Promise<readonly JsonObject[]> {
    const found = await this.#ask(`${path}?limit=${pageSize}`, 'GET');
    if (unsupported.has(found.status)) return [];
    const list = objectIn(found, path);
    if (list === undefined) throw new Error(`GET ${path}: status ${found.status}`);
    return objectsAt(list, 'items').map((item) => (valueAt(item, 'metadata') ?? {}) as JsonObject);
  }

  async #ask(path: string, method: NonNullable<DocumentRequest['method']>): Promise<FetchedDocument> {
    const request = { method, user, path, accept, maxBytes, signal: this.#signal };
    return await fetchDocument(this.#backends, this.#backend, request);
  }
}

/** Has extension servers delete what they have in namespaces that are being deleted. */
export class ExtensionContents implements Controller, ContentsElsewhere {
  readonly name = 'extension-contents';
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #backends: Backends;
  readonly #documents: ExtensionDocuments;
  readonly #remaining = new Map<string, RemainingElsewhere>();
  readonly #terminating = new Set<string>();
  readonly #attempts = new Map<string, number>();
  #changed: (namespace: string) => void = () => {};
  #appointments: Appointments | undefined;

  constructor(deps: { cluster: Cluster; clock: Clock; backends: Backends; documents: ExtensionDocuments }) {
    this.#cluster = deps.cluster;
    this.#clock = deps.clock;
    this.#backends = deps.backends;
    this.#documents = deps.documents;
  }

  start(again: (key: string) => void): Disposable {
    this.#appointments = new Appointments(this.#clock, again);
    return this.#appointments;
  }

  follow(changed: (namespace: string) => void): Disposable {
    this.#changed = changed;
    return {
      [Symbol.dispose]: () => {
        this.#changed = () => {};
      },
    };
  }

  remaining(namespace: string): RemainingElsewhere | undefined {
    const nothing = { resources: new Map(), finalizers: new Map(), undiscovered: [], failures: [] };
    return this.#servers().length === 0 ? nothing : this.#remaining.get(namespace);
  }

  keysOf({ type, resource, object }: ClusterEvent): Iterable<string> {
    // Which servers there are, and which of them answer.
    if (resource.storageKey === 'apiservices.apiregistration.k8s.io') {
      this.#attempts.clear();
      return [...this.#terminating];
    }
    if (resource.storageKey !== 'namespaces') return [];
    const { name = '', deletionTimestamp } = object.metadata;
    if (type !== 'DELETED' && deletionTimestamp !== undefined) {
      const isNew = !this.#terminating.has(name);
      this.#terminating.add(name);
      return isNew ? [name] : [];
    }
    this.#terminating.delete(name);
    this.#remaining.delete(name);
    this.#attempts.delete(name);
    this.#appointments?.set(name, undefined);
    return [];
  }

  async work(name: string): Promise<void> {
    const servers = this.#servers();
    if (!this.#terminating.has(name)) return;
    const found = await this.#empty(name, servers);
    // It may have been deleted meanwhile.
    if (!this.#terminating.has(name)) return;
    this.#remaining.set(name, found);
    this.#changed(name);
    const isEmpty = found.resources.size + found.undiscovered.length + found.failures.length === 0;
    if (!isEmpty) this.#requeueLater(name);
  }

  #requeueLater(name: string): void {
    const attempts = this.#attempts.get(name) ?? 0;
    this.#attempts.set(name, attempts + 1);
    this.#appointments?.set(name, Math.min(firstWaitMs * 2 ** Math.min(attempts, 10), longestWaitMs));
  }

  #servers(): Backend[] {
    return this.#cluster.list(apiServiceType(this.#cluster)).flatMap((object) => backendOf(object) ?? []);
  }

  async #empty(namespace: string, servers: readonly Backend[]): Promise<RemainingElsewhere> {
    const resources = new Map<string, number>();
    const finalizers = new Map<string, number>();
    const undiscovered: string[] = [];
    const failures: string[] = [];
    await mapLimit(servers, serversAtATime, async (server) => {
      const known = this.#documents.of(server.name);
      if (known?.resources === undefined || known.isStale) undiscovered.push(`${server.group}/${server.version}`);
      const emptying = new Emptying(this.#backends, server, namespace);
      try {
        await emptying.run(known?.isStale === false ? (known.resources ?? []) : []);
      } catch (thrown) {
        failures.push(`${server.group}/${server.version}: ${errorMessage(thrown)}`);
      }
      for (const [name, count] of emptying.resources) addCount(resources, name, count);
      for (const [name, count] of emptying.finalizers) addCount(finalizers, name, count);
    });
    return { resources, finalizers, undiscovered, failures };
  }
}
