import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { bundleResource, parseBundle } from '../src/api/index.ts';
import {
  type Clock,
  errorMessage,
  isJsonObject,
  type JsonObject,
  type Logger,
  type ServingCertificate,
  TerminalError,
  TransientError,
} from '../src/base/index.ts';
import {
  type ContentReply,
  type ContentRequest,
  type ContentServer,
  type ContentServerOptions,
  explainFullDisk,
  type ReceivedUpload,
  startContentServer,
  Uploads,
  type UploadTarget,
  uploadsFolder,
} from '../src/content/index.ts';
import {
  type Condition,
  findObject,
  isConflict,
  isKubeError,
  type KubeClient,
  type KubeObject,
  refOf,
  setCondition,
  tenantOf,
} from '../src/kube/index.ts';
import type { Metrics, MetricValues } from '../src/metrics/index.ts';
import { definitionOf } from '../src/sources/definitions/index.ts';
import { createContentAccess } from './content-access.ts';
import { fieldManager } from './field-manager.ts';
import { noteStored } from './shared-content.ts';
import { temporaryFolder, type Unpacker } from './unpacker/index.ts';
import { UploadSlots } from './upload-slots.ts';

export interface ContentServiceOptions {
  readonly kube: KubeClient;
  readonly unpacker: Unpacker;
  readonly storeDir: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly serving: ServingCertificate;
  /** Of one upload. */
  readonly maxUploadBytes: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Shown at `/metrics`, with the figures of the store. */
  readonly metrics: Metrics;
  /** What to answer in place of contents and uploads; undefined while they are served. */
  readonly refusal?: () => ContentReply | undefined;
  /** Where a Bundle is that another process takes care of. */
  readonly elsewhere?: ContentServerOptions['elsewhere'];
}

const refusals: ReadonlyMap<string, number> = new Map([
  ['BodyTooLarge', 413],
  ['InvalidMetadata', 422],
]);
const conflictTries = 5;
const received = 'received bundle upload, waiting for provisioner to unpack it.';

/** The cluster's authority for client certificates, where it is published for extension API servers. */
async function readClientCa(kube: KubeClient): Promise<string | undefined> {
  const ref = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication',
  };
  const data = (await findObject(kube, ref))?.['data'];
  const pem = isJsonObject(data) ? data['client-ca-file'] : undefined;
  return typeof pem === 'string' ? pem : undefined;
}

async function uidOf(kube: KubeClient, name: string, signal: AbortSignal): Promise<string | undefined> {
  const { apiVersion, kind } = bundleResource;
  return (await findObject(kube, { apiVersion, kind, name }, { signal }))?.metadata.uid;
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
}

/** Takes uploads. @see docs/spec/rukpak-v1alpha1.md#upload-protocol */
class UploadDesk {
  readonly #options: ContentServiceOptions;
  readonly #uploads: Uploads;
  readonly #slots: UploadSlots;

  constructor(options: ContentServiceOptions, uploads: Uploads) {
    this.#options = options;
    this.#uploads = uploads;
    this.#slots = new UploadSlots(options.clock);
  }

  async take(name: string, body: IncomingMessage, asked: ContentRequest): Promise<ContentReply> {
    const { socket } = body;
    const before = socket.bytesRead;
    const receivedBytes = (): number => socket.bytesRead - before;
    using admitted = this.#slots.admit({ user: tenantOf(asked.user.username), bundleName: name, receivedBytes });
    if (admitted === undefined) return { status: 503, text: 'too many uploads at a time: try again later' };
    const reply = await this.#take(name, body, AbortSignal.any([asked.signal, admitted.signal]));
    return admitted.signal.aborted ? { status: 503, text: errorMessage(admitted.signal.reason) } : reply;
  }

  async #take(name: string, body: IncomingMessage, signal: AbortSignal): Promise<ContentReply> {
    const target = await this.#targetOf(name, signal);
    if ('status' in target) return target;
    const options = { maxBytes: this.#options.maxUploadBytes, signal };
    try {
      const upload = await this.#uploads.receive(body, options);
      try {
        return await this.#keep(target, upload, signal);
      } finally {
        await this.#uploads.discard(upload);
      }
    } catch (fault) {
      const thrown = explainFullDisk(fault, this.#options.storeDir);
      if (thrown instanceof TransientError && thrown.reason === 'StoreFull') {
        return { status: 507, text: thrown.message };
      }
      if (thrown instanceof TransientError && thrown.reason === 'ContentStoreUnavailable') {
        return { status: 503, text: thrown.message };
      }
      if (!(thrown instanceof TerminalError))
        return { status: 500, text: `read request body: ${errorMessage(thrown)}` };
      return { status: refusals.get(thrown.reason) ?? 400, text: errorMessage(thrown) };
    }
  }

  /** The Bundle that the upload is for, as it is now: what comes later under its name is another one. */
  async #targetOf(name: string, signal: AbortSignal): Promise<ContentReply | UploadTarget> {
    try {
      const { metadata, spec } = parseBundle(await this.#find(name, signal));
      if (definitionOf(spec.source).isUploaded === true) return { name, uid: metadata.uid ?? '' };
      return { status: 409, text: `bundle source type is "${spec.source.type}"; expected "upload"` };
    } catch (thrown) {
      if (isKubeError(thrown)) return { status: thrown.failure.status, text: errorMessage(thrown) };
      throw thrown;
    }
  }

  async #keep(target: UploadTarget, upload: ReceivedUpload, signal: AbortSignal): Promise<ContentReply> {
    const { name } = target;
    if ((await this.#uploads.digestOf(target)) === upload.digest) return { status: 204, text: '' };
    const { metadata, status, spec } = parseBundle(await this.#find(name, signal));
    if (metadata.uid !== target.uid) {
      return { status: 409, text: `bundle "${name}" was deleted and created again during the upload: upload again` };
    }
    const { provisionerClassName } = spec;
    if (status?.phase === 'Unpacked') {
      return { status: 409, text: 'bundle has already been unpacked, cannot change content of existing bundle' };
    }
    await this.#options.unpacker.checkArchive(upload.path, { signal, provisionerClassName });
    await this.#options.unpacker.makeRoom(upload.sizeBytes, { signal });
    await this.#share(target, upload, signal);
    await this.#uploads.keep(target, upload);
    await this.#announce(target, signal);
    return { status: 201, text: 'stored' };
  }

  /** What is acknowledged as stored outlives this process, where there is a shared store. */
  async #share(target: UploadTarget, { path }: ReceivedUpload, signal: AbortSignal): Promise<void> {
    const { kube, unpacker } = this.#options;
    if (unpacker.shared === undefined) return;
    const object = await this.#find(target.name, signal);
    const storedAt = await unpacker.shared.shareUpload(target, path, { signal });
    if (object.metadata.uid !== target.uid) return;
    await noteStored(kube, object, { storedAt, signal });
  }

  async #find(name: string, signal: AbortSignal): ReturnType<KubeClient['get']> {
    const { apiVersion, kind } = bundleResource;
    return await this.#options.kube.get({ apiVersion, kind, name }, { signal });
  }

  /** Notifies the provisioner by the status of the Bundle; retried after a conflict. */
  async #announce({ name, uid }: UploadTarget, signal: AbortSignal): Promise<void> {
    for (let left = conflictTries; ; left--) {
      const object = await this.#find(name, signal);
      if (object.metadata.uid !== uid) return;
      const patch = pendingPatch(object, this.#options.clock.now());
      if (patch === undefined) return;
      try {
        await this.#options.kube.patch(refOf(object), patch, { fieldManager, subresource: 'status', signal });
        return;
      } catch (thrown) {
        if (!isConflict(thrown) || left <= 1) throw thrown;
      }
    }
  }
}

/** The status of a Bundle whose upload has come; undefined when it is unpacked already. */
function pendingPatch(object: KubeObject, nowMs: number): JsonObject | undefined {
  const { status, metadata } = parseBundle(object);
  if (status?.phase === 'Unpacked') return undefined;
  const observedGeneration = metadata.generation ?? 0;
  const pending = { type: 'Unpacked', status: 'False', reason: 'UnpackPending', message: received } as const;
  const before = (status?.conditions ?? []) as readonly Condition[];
  const conditions = setCondition(before, { ...pending, observedGeneration }, nowMs);
  const { resourceVersion = '' } = object.metadata;
  return { metadata: { resourceVersion }, status: { phase: 'Pending', conditions } } as unknown as JsonObject;
}

async function storeFigures(unpacker: Unpacker): Promise<MetricValues> {
  const usage = await unpacker.usage();
  return {
    longshore_content_store_bytes: usage.contentBytes,
    longshore_content_store_contents: usage.contentCount,
    longshore_content_store_upload_bytes: usage.uploadBytes,
    longshore_content_store_uploads: usage.uploadCount,
    longshore_content_store_budget_bytes: usage.budgetBytes,
    longshore_content_store_evictions_total: usage.evictedCount,
    longshore_content_store_evicted_bytes_total: usage.evictedBytes,
    longshore_content_store_sweeps_total: usage.sweepCount,
    longshore_layer_cache_hits_total: usage.layerHitCount,
    longshore_layer_cache_misses_total: usage.layerMissCount,
    longshore_bundle_parses_total: usage.parsedCount,
  };
}

/** Serves the content of unpacked Bundles under `/bundles/`, and takes and serves uploads under `/uploads/`; figures are at `/metrics`. */
export async function startContentService(options: ContentServiceOptions): Promise<ContentServer> {
  const uploads = await Uploads.open(uploadsFolder(options.storeDir), temporaryFolder(options.storeDir));
  const desk = new UploadDesk(options, uploads);
  const fileOf: ContentServerOptions['fileOf'] = async (folder, name, signal) => {
    if (folder === 'bundles') return await options.unpacker.servedFile(name, { signal });
    const uid = await uidOf(options.kube, name, signal);
    if (uid === undefined) return undefined;
    const path = uploads.path({ name, uid });
    return (await isFile(path)) ? path : undefined;
  };
  options.metrics.readFrom(() => storeFigures(options.unpacker));
  return await startContentServer({
    clock: options.clock,
    log: options.log,
    metrics: options.metrics,
    host: options.host,
    port: options.port,
    serving: options.serving,
    clientCaPem: await readClientCa(options.kube),
    access: createContentAccess(options.kube),
    ...(options.refusal === undefined ? {} : { refusal: options.refusal }),
    elsewhere: options.elsewhere,
    fileOf,
    upload: (name, body, request) => desk.take(name, body, request),
  });
}
