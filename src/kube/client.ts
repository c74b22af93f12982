import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { ActingUser } from './acting-user.ts';
import { createDiscovery, type Discovery, groupVersionPath, type Resource } from './discovery.ts';
import { isKubeError, isNotFound } from './kube-error.ts';
import { type KubeObject, type ObjectRef, refOf } from './kube-object.ts';
import { readPages } from './pages.ts';
import { type Answer, createSender, type KubeClientOptions, refusalOf, type Sendable, type Sender } from './sender.ts';

/** Which objects; `namespace` absent means all namespaces. */
export interface ListTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Ask for metadata alone; items are PartialObjectMetadata. */
  readonly isMetadataOnly?: boolean | undefined;
  /** What a cache keeps of each object. */
  readonly projection?: Projection | undefined;
}

/** A part of objects that is kept where whole ones take much memory. */
export interface Projection {
  /** The same name stands for the same part. */
  readonly name: string;
  of(object: KubeObject): KubeObject;
}

export interface KubeList {
  readonly resourceVersion: string;
  readonly items: readonly KubeObject[];
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** How a list is read page by page. */
export interface PageOptions extends CallOptions {
  /** Items at a time; fewer where these are large. Default: 500. */
  readonly pageSize?: number;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager: string;
  readonly isDryRun?: boolean | undefined;
  readonly subresource?: 'status' | undefined;
  /** What the server does about fields that it does not know; its own default when absent. Apply always refuses them. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
  /** Called with each warning that the server answers with. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

export interface ApplyOptions extends WriteOptions {
  readonly force?: boolean | undefined;
  /** Called when it is sent again because there was no answer: the server may still execute what was sent before. */
  readonly onRepeat?: (() => void) | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly uid?: string | undefined;
  /** Deletes the object only as it was read: for a deletion that rests on what others may change, such as its owners. */
  readonly resourceVersion?: string | undefined;
}

export interface EvictOptions extends CallOptions {
  /** Evicts only the pod that has this uid. */
  readonly uid?: string | undefined;
  /** Default: the pod's own. */
  readonly gracePeriodSeconds?: number | undefined;
}

export interface WatchOptions {
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** The object after a server-side apply, and whether this very request made it. */
export interface Applied {
  readonly object: KubeObject;
  readonly isCreated: boolean;
}

/** The API as raw JSON. Every call resolves the kind, ends within the client's deadline and repeats itself where that is
 *  safe (429 and 503 always; lost connections for reads and server-side apply).
 *  @throws KubeRejection, KubeUnavailable, NoKindMatch from every call */
export interface KubeClient {
  resolve(apiVersion: string, kind: string, options?: CallOptions): Promise<Resource>;
  /** The kind in whichever version the group serves it, the preferred one first. */
  resolveInGroup(group: string, kind: string, options?: CallOptions): Promise<Resource>;
  /** Every kind whose objects are in namespaces and can be listed, each in one version; some dozens of requests.
   *  @throws the server's error for a group that does not answer */
  namespacedKinds(options?: CallOptions): Promise<readonly Resource[]>;
  /** What the API server serves, as `apps/v1` and `apps/v1/Deployment`; most of it is remembered. */
  apiVersions(options?: CallOptions): Promise<readonly string[]>;
  /** The version that the API server reports: `v1.33.1`. */
  serverVersion(options?: CallOptions): Promise<string>;
  /** The server's clock, in milliseconds since the epoch, but whole seconds; NaN when it sends none. */
  serverDate(options?: CallOptions): Promise<number>;
  /** Forgets the discovery of a group and version. */
  forgetKinds(apiVersion: string): void;
  get(ref: ObjectRef, options?: CallOptions): Promise<KubeObject>;
  /** All pages. Items have `apiVersion` and `kind`. */
  list(target: ListTarget, options?: CallOptions): Promise<KubeList>;
  /** The end of the log of a Pod's first container: so many lines, and 16 KiB at most. */
  podLog(
    pod: { readonly namespace: string; readonly name: string },
    lines: number,
    options?: CallOptions,
  ): Promise<string>;
  /** The same, page by page. */
  listPages(target: ListTarget, options?: PageOptions): AsyncIterable<KubeList>;
  create(object: KubeObject, options: WriteOptions): Promise<KubeObject>;
  update(object: KubeObject, options: WriteOptions): Promise<KubeObject>;
  /** JSON merge patch; a `metadata.resourceVersion` in it is a precondition. */
  patch(ref: ObjectRef, patch: JsonObject, options: WriteOptions): Promise<KubeObject>;
  apply(object: KubeObject, options: ApplyOptions): Promise<Applied>;
  /** The object while finalizers or a grace period still retain it; undefined once it is deleted. */
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<KubeObject | undefined>;
  /** Requests the eviction of a Pod, once. A PodDisruptionBudget that does not allow it is a KubeUnavailable with status 429; see `isBudgetRefusal`. */
  evict(pod: { readonly namespace: string; readonly name: string }, options?: EvictOptions): Promise<void>;
  /** The body of a watch from `resourceVersion`, one JSON event per line; ends by itself after `timeoutSeconds`. */
  openWatch(target: ListTarget, options: WatchOptions): Promise<IncomingMessage>;
  /** The same API, impersonating a user; the one that was named last. It shares connections and discovery with this client, which alone is closed. */
  actingAs(user: ActingUser): KubeClient;
  close(): void;
}

interface CollectionRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
}

interface WriteTarget {
  readonly path: string;
  readonly apiVersion: string;
  readonly options: ApplyOptions;
}

const defaultPageSize = 500;
const metadataListType = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const metadataType = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

function collectionPath(resource: Resource, namespace: string | undefined): string {
  const place = resource.isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${groupVersionPath(resource.apiVersion)}${place}/${resource.plural}`;
}

function query(parameters: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

function writeQuery(options: ApplyOptions): string {
  return query({
    fieldManager: options.fieldManager,
    force: options.force === true ? 'true' : undefined,
    fieldValidation: options.fieldValidation,
    dryRun: options.isDryRun === true ? 'All' : undefined,
  });
}

function selectorsOf(target: ListTarget): Record<string, string | undefined> {
  return { labelSelector: target.labelSelector, fieldSelector: target.fieldSelector };
}

interface Context {
  readonly sender: Sender;
  readonly discovery: Discovery;
}

interface ObjectCall extends CallOptions {
  readonly subresource?: string | undefined;
}

const jsonType = 'application/json';

async function collectionOf(context: Context, target: CollectionRef, signal?: AbortSignal): Promise<string> {
  const resource = await context.discovery.resolve(target.apiVersion, target.kind, signal);
  return collectionPath(resource, target.namespace);
}

async function objectPath(context: Context, ref: ObjectRef, call: ObjectCall): Promise<string> {
  const base = `${await collectionOf(context, ref, call.signal)}/${encodeURIComponent(ref.name)}`;
  return call.subresource === undefined ? base : `${base}/${call.subresource}`;
}

/** A response that is no Status means that the path is unknown: the kind was removed, so discover it again next time. */
async function send(context: Context, apiVersion: string, request: Sendable): Promise<Answer> {
  try {
    return await context.sender.send(request);
  } catch (thrown) {
    if (isNotFound(thrown) && isKubeError(thrown) && !thrown.failure.isStatus) context.discovery.forget(apiVersion);
    throw thrown;
  }
}

async function* listPages(context: Context, target: ListTarget, options: PageOptions): AsyncGenerator<KubeList> {
  const { pageSize = defaultPageSize, signal } = options;
  const base = await collectionOf(context, target, signal);
  const accept = target.isMetadataOnly === true ? metadataListType : undefined;
  const { apiVersion, kind } = target;
  const pages = readPages(pageSize, async ({ limit, next, limits }) => {
    const path = `${base}${query({ ...selectorsOf(target), limit: String(limit), continue: next })}`;
    const request: Sendable = { method: 'GET', path, accept, isRepeatable: true, signal, ...limits };
    return (await send(context, apiVersion, request)).body as JsonObject;
  });
  for await (const { resourceVersion, items } of pages) {
    yield { resourceVersion, items: items.map((item) => ({ ...item, apiVersion, kind })) };
  }
}

async function listAll(context: Context, target: ListTarget, call: CallOptions): Promise<KubeList> {
  const items: KubeObject[] = [];
  let resourceVersion = '';
  for await (const page of listPages(context, target, call)) {
    for (const item of page.items) items.push(item);
    ({ resourceVersion } = page);
  }
  return { resourceVersion, items };
}

async function openWatch(context: Context, target: ListTarget, watch: WatchOptions): Promise<IncomingMessage> {
  const base = await collectionOf(context, target, watch.signal);
  const path = `${base}${query({
    ...selectorsOf(target),
    watch: '1',
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(watch.timeoutSeconds),
    resourceVersion: watch.resourceVersion,
  })}`;
  const accept = target.isMetadataOnly === true ? metadataType : undefined;
  const response = await context.sender.open({ method: 'GET', path, accept, signal: watch.signal });
  if (response.statusCode === 200) return response;
  throw await refusalOf(response, `watch ${target.kind}`);
}

async function podLog(
  { sender }: Context,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { lines, signal }: CallOptions & { readonly lines: number },
): Promise<string> {
  const limits = query({ tailLines: String(lines), limitBytes: String(16 * 1024) });
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log${limits}`;
  const { body } = await sender.send({ method: 'GET', path, accept: 'text/plain, */*', isRepeatable: true, signal });
  return typeof body === 'string' ? body : '';
}

function createReads(context: Context): Pick<KubeClient, 'get' | 'list' | 'listPages' | 'openWatch' | 'podLog'> {
  return {
    podLog: (pod, lines, { signal } = {}) => podLog(context, pod, { lines, signal }),
    get: async (ref, call = {}) => {
      const path = await objectPath(context, ref, call);
      const request = { method: 'GET', path, isRepeatable: true, signal: call.signal } as const;
      return (await send(context, ref.apiVersion, request)).body as KubeObject;
    },
    list: (target, call = {}) => listAll(context, target, call),
    listPages: (target, call = {}) => listPages(context, target, call),
    openWatch: (target, watch) => openWatch(context, target, watch),
  };
}

async function evict(
  { sender }: Context,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { uid, gracePeriodSeconds, signal }: EvictOptions,
): Promise<void> {
  const deleteOptions = {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(uid === undefined ? {} : { preconditions: { uid } }),
  };
  const body = JSON.stringify({
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { namespace, name },
    deleteOptions,
  });
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`;
  await sender.send({ method: 'POST', path, body, contentType: jsonType, isRepeatable: false, signal });
}

function createWrites(
  context: Context,
): Pick<KubeClient, 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'evict'> {
  const write = async (request: Omit<Sendable, 'path'>, where: WriteTarget): Promise<Answer> => {
    const path = `${where.path}${writeQuery(where.options)}`;
    const { signal, onWarning } = where.options;
    return await send(context, where.apiVersion, { ...request, path, signal, onWarning });
  };
  return {
    evict: (pod, options = {}) => evict(context, pod, options),
    create: async (object, options) => {
      const path = await collectionOf(context, { ...object, namespace: object.metadata.namespace }, options.signal);
      const request = { method: 'POST', body: JSON.stringify(object), contentType: jsonType } as const;
      const where = { path, options, apiVersion: object.apiVersion };
      return (await write({ ...request, isRepeatable: false }, where)).body as KubeObject;
    },
    update: async (object, options) => {
      const where = { path: await objectPath(context, refOf(object), options), options, apiVersion: object.apiVersion };
      const request = { method: 'PUT', body: JSON.stringify(object), contentType: jsonType } as const;
      return (await write({ ...request, isRepeatable: false }, where)).body as KubeObject;
    },
    patch: async (ref, patch, options) => {
      const where = { path: await objectPath(context, ref, options), options, apiVersion: ref.apiVersion };
      const contentType = 'application/merge-patch+json';
      const request = { method: 'PATCH', body: JSON.stringify(patch), contentType } as const;
      return (await write({ ...request, isRepeatable: false }, where)).body as KubeObject;
    },
    apply: async (object, options) => {
      const where = { path: await objectPath(context, refOf(object), options), options, apiVersion: object.apiVersion };
      const contentType = 'application/apply-patch+yaml';
      const request = { method: 'PATCH', body: JSON.stringify(object), contentType } as const;
      const answer = await write({ ...request, isRepeatable: true, onRepeat: options.onRepeat }, where);
      return { object: answer.body as KubeObject, isCreated: answer.status === 201 };
    },
    delete: async (ref, options = {}) => {
      const { propagationPolicy = 'Background', uid, resourceVersion } = options;
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy,
        ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
      });
      const path = await objectPath(context, ref, options);
      const request = { method: 'DELETE', path, body, contentType: jsonType, signal: options.signal } as const;
      const isRepeatable = uid !== undefined;
      const answer = (await send(context, ref.apiVersion, { ...request, isRepeatable })).body;
      return isJsonObject(answer) && answer['kind'] !== 'Status' ? (answer as KubeObject) : undefined;
    },
  };
}

function senderAs(sender: Sender, actingAs: ActingUser): Sender {
  return {
    send: (request) => sender.send({ ...request, actingAs: request.actingAs ?? actingAs }),
    open: (request) => sender.open({ ...request, actingAs: request.actingAs ?? actingAs }),
    close: () => undefined,
  };
}

function clientOver(context: Context): KubeClient {
  const { sender, discovery } = context;
  return {
    ...createReads(context),
    ...createWrites(context),
    resolve: (apiVersion, kind, call = {}) => discovery.resolve(apiVersion, kind, call.signal),
    resolveInGroup: (group, kind, call = {}) => discovery.resolveInGroup(group, kind, call.signal),
    namespacedKinds: ({ signal } = {}) => discovery.namespacedKinds(signal),
    apiVersions: ({ signal } = {}) => discovery.apiVersions(signal),
    serverVersion: async ({ signal } = {}) => {
      const { body } = await sender.send({ method: 'GET', path: '/version', isRepeatable: true, signal });
      const version = isJsonObject(body) ? body['gitVersion'] : undefined;
      return typeof version === 'string' ? version : '';
    },
    serverDate: async ({ signal } = {}) => {
      return (await sender.send({ method: 'GET', path: '/version', isRepeatable: true, signal })).dateMs;
    },
    forgetKinds: (apiVersion) => {
      discovery.forget(apiVersion);
    },
    actingAs: (user) => clientOver({ sender: senderAs(sender, user), discovery }),
    close: () => {
      sender.close();
    },
  };
}

/** A client for `access`; nothing is sent before the first call. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const sender = createSender(options);
  const discovery = createDiscovery(async (path, signal) => {
    return (await sender.send({ method: 'GET', path, isRepeatable: true, signal })).body;
  });
  return clientOver({ sender, discovery });
}
