import type { ContentLimits, JsonObject, ProxySettings } from '../../src/base/index.ts';
import type { Property } from '../../src/constraints/index.ts';
import type { StoreUsage } from '../../src/content/index.ts';
import type { InstallTerms, Rendered } from '../../src/formats/index.ts';
import type { ImagePolicy } from '../../src/image-policy/index.ts';
import type {
  ContentSource,
  ProgressListener,
  PullSecrets,
  RegistryMirror,
  SourceConfigMap,
  SourceSecret,
} from '../../src/sources/index.ts';
import type { BundleIdentity } from './bundle-identity.ts';
import type { SharedStoreSettings } from './shared-store.ts';

export interface UnpackRequest {
  readonly bundle: BundleIdentity;
  /** Chooses the format, and so the checks: `core-rukpak-io-plain` is plain+v0. */
  readonly provisionerClassName: string;
  /** `spec.source`; when content was lost, `status.resolvedSource`, so that the same is fetched again. */
  readonly source: ContentSource;
  /** The Secret that a source of type git or http names, when it names one. */
  readonly secret?: SourceSecret | undefined;
  /** For a source of type image. */
  readonly pullSecrets?: PullSecrets | undefined;
  /** For a source of type image; the unpacker's own when absent. */
  readonly mirrors?: readonly RegistryMirror[] | undefined;
  /** Which images may be used; the unpacker's own when absent. */
  readonly imagePolicy?: ImagePolicy | undefined;
  /** `spec.source`, when `source` is what became of it. */
  readonly firstSource?: ContentSource | undefined;
  /** The ConfigMaps that the source names, for a source that is made of them. */
  readonly configMaps?: readonly SourceConfigMap[] | undefined;
  /** The digest that the content had before it was lost: anything else is refused. */
  readonly expectedDigest?: string | undefined;
}

/** What is to be rendered, and for whom. */
export interface LoadRequest {
  readonly bundle: BundleIdentity;
  /** Chooses the format. */
  readonly provisionerClassName: string;
  readonly terms: InstallTerms;
  /** The digest of the content that was installed from the Bundle before: anything else is refused. */
  readonly expectedDigest?: string | undefined;
}

/** What content becomes, and the digest of the content. */
export interface LoadedContent extends Rendered {
  readonly digest: string;
}

/** What is stored for a Bundle. */
export interface UnpackedContent {
  /** The source pinned by digest or commit, for `status.resolvedSource`. */
  readonly resolvedSource: ContentSource;
  /** `sha256:<hex>` of the content in its canonical form: the same files give the same digest. */
  readonly digest: string;
  /** Of the canonical form, uncompressed. */
  readonly sizeBytes: number;
  readonly objectCount: number;
  /** That the files name; undefined where they name none, or where a property has it. */
  readonly version?: string | undefined;
  /** The properties of the bundle, the APIs that it brings, and what it requires. */
  readonly properties: readonly Property[];
  /** Questionable metadata. */
  readonly warnings: readonly string[];
  /** The content itself was evicted: it is fetched again when it is requested. */
  readonly isEvicted: boolean;
  /** Stored by a version that did not note its properties: they are not known. */
  readonly isOutdated: boolean;
  /** Where it is kept beside this process, in whichever repository. */
  readonly storedAt: string | undefined;
}

export interface WorkOptions {
  readonly signal: AbortSignal;
}

/** Fetches, checks and stores the content of Bundles in worker threads, so that neither the calling thread nor another
 *  Bundle waits for a slow or huge source.
 *
 *  Errors keep their class, reason and message across threads. Messages carry the stage's prefix
 *  of docs/spec/rukpak-v1alpha1.md#error-prefixes (`source bundle content: `, `get objects from bundle manifests: `, `persist bundle content: `): callers add nothing. */
export interface Unpacker extends AsyncDisposable {
  /** Replaces what was stored for the Bundle. Never call it twice at a time for one Bundle.
   *  @throws TerminalError · TransientError · WaitingError of the sources, formats and the store */
  unpack(
    request: UnpackRequest,
    options: WorkOptions & { readonly onProgress?: ProgressListener },
  ): Promise<UnpackedContent>;
  /** What the Bundle's content, verified against the stored digest, becomes in a cluster: objects in the order of files and
   *  documents, or of rendering.
   *  @throws TransientError ContentLost when nothing whole is stored: unpack again · TerminalError ConversionFailed when the terms do
   *  not fit, ContentChanged when the content is not the expected one */
  load(request: LoadRequest, options: WorkOptions): Promise<LoadedContent>;
  /** What is stored for the Bundle, undefined when there is nothing (or only another uid's). Reads one small file. */
  find(bundle: BundleIdentity): Promise<UnpackedContent | undefined>;
  /** Whether a file is an archive that a bundle may be unpacked from, with metadata as they must be.
   *  @throws TerminalError with the reason; InvalidMetadata for the metadata */
  checkArchive(path: string, options: WorkOptions & { readonly provisionerClassName: string }): Promise<void>;
  /** Forgets the Bundle's content of any uid, and what was uploaded for it; nothing stored is no error. */
  discard(bundleName: string): Promise<void>;
  /** Forgets the Bundle's content of any uid alone; what was uploaded stays. */
  forgetContent(bundleName: string): Promise<void>;
  /** Forgets what was uploaded for this very Bundle; nothing stored is no error. */
  forgetUpload(bundle: BundleIdentity): Promise<void>;
  /** What Secrets of Helm contain. */
  readonly releases: PackedReleases;
  /** Undefined when nothing is kept but in the folder of this process. */
  readonly shared: SharedContents | undefined;
  /** Removes uploads that belong to no Bundle. */
  sweepUploads(isOwned: (bundle: BundleIdentity) => boolean): Promise<void>;
  /** The file of a Bundle's content, to be served; one that was evicted is asked for and waited for, at most a minute. Undefined when there is none.
   *  @throws TransientError ContentLost when it does not come */
  servedFile(bundleName: string, options: WorkOptions): Promise<string | undefined>;
  /** Called with the name of a Bundle whose evicted content is requested. */
  onRequested(listener: (bundleName: string) => void): void;
  /** Makes room for an upload.
   *  @throws TransientError StoreFull */
  makeRoom(sizeBytes: number, options: WorkOptions): Promise<void>;
  /** What is on disk, and what was evicted and how often was swept since the start. */
  usage(): Promise<UnpackerUsage>;
  /** Every Bundle that has content, for a sweep of orphans. */
  list(): Promise<BundleIdentity[]>;
}

/** A release of Helm as its Secret has it. Who may write Secrets in the namespace of the release decides what it contains. */
export interface PackedRelease {
  /** Names it in messages. */
  readonly what: string;
  /** The value of `data.release`. */
  readonly data: string;
}

/** Releases of Helm, whose Secrets may be hostile.
 *  @throws TerminalError UnreadableRelease, and what parsing throws */
export interface PackedReleases {
  /** The objects of the manifest. */
  objects(release: PackedRelease, options: WorkOptions): Promise<readonly JsonObject[]>;
  /** When the first version was deployed. */
  start(release: PackedRelease, options: WorkOptions): Promise<string>;
  /** The same release, in whose place another one is installed, as the value of `data.release`. */
  superseded(release: PackedRelease, options: WorkOptions): Promise<string>;
}

/** Contents and uploads in a registry, for the process that works next.
 *  Methods throw TransientError ContentStoreUnavailable, whatever the registry answers. */
export interface SharedContents {
  /** Whether a place is in this registry's repository. */
  has(storedAt: string | undefined): storedAt is string;
  /** Keeps what is stored for the Bundle there too, in place of what is at `replaced`; undefined when nothing is stored. */
  share(
    bundle: BundleIdentity,
    options: WorkOptions & { readonly replaced: string | undefined },
  ): Promise<UnpackedContent | undefined>;
  /** Keeps an upload; the answer is the place. */
  shareUpload(bundle: BundleIdentity, path: string, options: WorkOptions): Promise<string>;
  /** Brings back, verified, what is at a place: stores the content, or puts the upload where it can be unpacked (undefined). */
  restore(
    bundle: BundleIdentity,
    from: { readonly storedAt: string; readonly expectedDigest: string | undefined },
    options: WorkOptions,
  ): Promise<UnpackedContent | undefined>;
  /** Uids of all Bundles that something is kept for. */
  uids(options: WorkOptions): Promise<readonly string[]>;
  /** Forgets what is kept for a Bundle; the result is the reason why it stays, where the registry deletes nothing. */
  unshare(uid: string, options: WorkOptions): Promise<string | undefined>;
}

/** The content store in numbers. */
export interface UnpackerUsage extends StoreUsage {
  readonly budgetBytes: number;
  readonly evictedCount: number;
  readonly evictedBytes: number;
  /** Of what belongs to no Bundle, the one at the start included. */
  readonly sweepCount: number;
  /** Requested layers of images that were on disk. */
  readonly layerHitCount: number;
  /** Layers that had to be fetched. */
  readonly layerMissCount: number;
  /** Bundles whose manifests were parsed: once when they are unpacked, again if what they were parsed into is not stored. */
  readonly parsedCount: number;
  /** Charts that were rendered, and not stored from before. */
  readonly renderedCount: number;
}

/** Everything that can be set; sizes in bytes, times in milliseconds. `completeSettings` has the defaults. */
export interface UnpackerOptions {
  /** Holds `<bundle>.tgz`, blobs, records and the layer cache; made when missing. One process at a time. */
  readonly storeDir: string;
  readonly limits?: Partial<ContentLimits>;
  /** `HOST[:PORT]` of registries that may be spoken to without TLS; loopback always may. */
  readonly insecureRegistries?: readonly string[];
  /** Where images may be pulled from instead; asked before every fetch. Default: nowhere. */
  readonly readMirrors?: () => Promise<readonly RegistryMirror[]>;
  /** Which images may be used; asked before every fetch. Default: all. */
  readonly readImagePolicy?: () => Promise<ImagePolicy | undefined>;
  /** PEM texts of authorities trusted for registries beside the system's. */
  readonly registryCaPem?: readonly string[];
  /** PEM texts of authorities trusted for git servers beside the system's. */
  readonly gitCaPem?: readonly string[];
  readonly httpCaPem?: readonly string[];
  /** Whether a Secret of a git or http source that names no hosts is for every server. */
  readonly allowsUnnamedHosts?: boolean;
  /** By way of which registries, git and web servers are reached. Default: directly. */
  readonly proxies?: ProxySettings;
  /** The whole of one fetch, check and store. */
  readonly unpackDeadlineMs?: number;
  /** Until a server answers, and between two pieces of an answer. */
  readonly answerDeadlineMs: number;
  readonly threads?: number;
  /** JavaScript heap of one thread. */
  readonly threadHeapMebibytes?: number;
  /** Bound on cached layers. */
  readonly layerCacheBytes?: number;
  /** Bound on contents and uploads together. */
  readonly storeBytes: number;
  /** What was used within this time is never evicted to make room. */
  readonly storeRestMs?: number;
  /** A repository where contents are kept beside the folder. */
  readonly shared?: SharedStoreSettings | undefined;
  /** `os/architecture[/variant]` to take from an index. Default `linux/` and this machine's. */
  readonly platform?: string;
  /** Where the programs `git` and `ssh` are looked for, as PATH has it; the usual folders by default. */
  readonly programPath?: string;
  /** Which program renders charts: a path, or a name that is looked for in the folders of `searchPath`. Default: `helm` in `programPath`. */
  readonly helm?: { readonly program: string; readonly searchPath: string };
}
