import type { JsonObject, JsonValue } from '../base/index.ts';
import type { DirectoryEntry } from '../content/index.ts';

/** Limit of one parsed file for all callers: rendering, installation and checks read the same files. */
export const maxManifestFileBytes: number = 32 * 1024 * 1024;
/** All files of one bundle that are parsed, together. */
export const maxManifestsBytes: number = 64 * 1024 * 1024;

/** Of all objects of one bundle: they are in memory together, wherever the bundle is rendered and applied. */
export const maxManifestValues: number = 2_000_000;

/** What an installation may depend on besides the bundle and its configuration. */
export interface ClusterFacts {
  /** The available certificate providers, the preferred one first. */
  readonly certificateProviders: readonly string[];
  /** Of the API server: `v1.33.1`. */
  readonly kubeVersion: string;
  /** What the API server serves, as charts ask for it: `apps/v1`, `apps/v1/Deployment`. Read for formats that depend on it alone. */
  readonly apiVersions?: readonly string[];
}

/** A document of values for a chart. */
export interface ValuesDocument {
  /** Where it is from, for messages: `spec.config.values`, `Secret "db" in namespace "apps", key "values.yaml"`. */
  readonly origin: string;
  /** YAML, unless `targetPath` is given: then one text. */
  readonly text: string;
  /** The one value that the text is, as `helm --set-file` names it. */
  readonly targetPath?: string;
  /** False where the text was generated: its lines mean nothing to users. Default true. */
  readonly isWritten?: boolean;
}

/** What the release of a chart is called and where it goes. */
export interface ReleaseTerms {
  readonly name: string;
  readonly namespace: string;
  /** Something is installed already. */
  readonly isUpgrade: boolean;
  /** What is installed of the release: calls of `lookup` find it. Default: none. */
  readonly objects?: readonly JsonObject[];
  /** Rendered once more with the same input, which shows what is random. Default false. */
  readonly isRepeated?: boolean;
  /** What `spec.config.valuesFrom` refers to; later documents take precedence. */
  readonly valuesFrom: readonly ValuesDocument[];
}

/** What a bundle is installed with. */
export interface InstallTerms {
  /** `spec.config` of the deployment. */
  readonly config: JsonObject;
  readonly cluster: ClusterFacts;
  /** For formats that have releases. */
  readonly release?: ReleaseTerms;
}

/** What an engine for charts gets. */
export interface ChartRequest {
  /** By path below the chart's folder. */
  readonly files: readonly ChartFile[];
  readonly release: ReleaseTerms;
  /** All of them, in the order of precedence. */
  readonly values: readonly ValuesDocument[];
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
  /** The same for the same result, as far as the chart shows what it depends on. */
  readonly key: string;
}

/** A file of a chart. */
export interface ChartFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/** An engine that renders charts. */
export interface ChartRenderer {
  /** The manifests of the templates and of `crds/`, one YAML stream, hooks among them.
   *  @throws TerminalError RenderFailed: the chart cannot be rendered with these values · TransientError HelmUnavailable */
  render(request: ChartRequest, options: { readonly signal: AbortSignal }): Promise<Buffer>;
  /** What the engine finds questionable.
   *  @throws as `render` */
  lint(request: ChartRequest, options: { readonly signal: AbortSignal }): Promise<readonly LintMessage[]>;
}

/** What an engine finds questionable in a chart. */
export interface LintMessage {
  readonly severity: 'error' | 'warning' | 'info';
  /** A file or folder of the chart. */
  readonly path: string;
  readonly text: string;
}

/** What rendering may need besides its input. */
export interface RenderTools {
  readonly charts: ChartRenderer;
  readonly signal: AbortSignal;
}

/** An object that is installed at a certain time only, and is no part of what is installed. */
export interface RenderedHook {
  readonly object: JsonObject;
  /** `pre-install` */
  readonly events: readonly string[];
  readonly weight: number;
  /** `before-hook-creation` */
  readonly deletePolicies: readonly string[];
}

/** A namespace as it is to be made where it is missing. */
export interface InstallNamespace {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What Helm records of a release besides its objects. */
export interface ReleaseFacts {
  /** `Chart.yaml`. */
  readonly chart: JsonObject;
  /** `values.yaml` of the chart. */
  readonly chartValues: JsonObject;
  /** All that override them, merged. */
  readonly values: JsonObject;
}

/** What a bundle becomes in a cluster. */
export interface Rendered {
  readonly objects: readonly JsonObject[];
  /** Undefined: the namespace of the deployment's configuration, or the system namespace. */
  readonly installNamespace?: InstallNamespace;
  /** In no order. */
  readonly hooks?: readonly RenderedHook[];
  /** Of charts. */
  readonly release?: ReleaseFacts;
  /** Names of CustomResourceDefinitions that are installed only where they are missing. */
  readonly definitions?: readonly string[];
  /** Rendering again may give something else: random passwords, certificates, dates. */
  readonly isUnsteady?: boolean;
}

/** A bundle that was read and found good. */
export interface BundleContent {
  /** Its manifests as they are. */
  readonly objects: readonly JsonObject[];
  /** The version that the files name; undefined where they name none, or where properties have it. */
  readonly version?: string;
  /** What `restore` of the format makes this of again, without parsing: plain data, to be stored. */
  readonly parsed: unknown;
  /** The objects to install. Pure, but for the tools.
   *  @throws TerminalError ConversionFailed, RenderFailed: not with these terms */
  render(terms: InstallTerms, tools: RenderTools): Rendered | Promise<Rendered>;
  /** What the format's own tool finds questionable; only charts have one. */
  lint?(terms: InstallTerms, tools: RenderTools): Promise<readonly LintMessage[]>;
}

/** Turns a bundle's files into objects. Pure: the caller reads the files, directory after directory, in the order of their names. */
export interface BundleFormat {
  /** `plain+v0` */
  readonly name: string;
  /** The directories of the bundle that are read; files are looked for right in them. `all`: every file, by its path, in the directory ''. */
  readonly directories: readonly string[] | 'all';
  /** Of one file. */
  readonly maxFileBytes: number;
  /** Whether `render` depends on facts about the cluster. */
  readonly dependsOnCluster: boolean;
  /** Whether `render` depends on what the cluster serves, and on a release. Default false. */
  readonly hasReleases?: boolean;
  /** A reader for one bundle; `prefix` names the stage in messages. */
  begin(prefix: string): BundleReader;
  /** A bundle that was read and found good by the same version of the format, from its `parsed`. */
  restore(parsed: unknown): BundleContent;
  /** What is wrong with the form of `spec.config`, whatever the bundle, a line each. */
  configProblems(config: JsonValue): readonly string[];
  /** Fields of `spec.config` without effect, a line each. */
  configWarnings(config: JsonValue): readonly string[];
}

/** Takes the entries of directories and gives what they make up. */
export interface BundleReader {
  /** Objects read so far, also where others are faulty; absent for formats that do not read them one by one. */
  readonly taken?: readonly JsonObject[];
  /** @throws TerminalError InvalidBundle, or keeps it for `finish` */
  add(directory: string, entry: DirectoryEntry): void;
  /** A symbolic link, which is not followed and not stored. Ignored by default.
   *  @throws TerminalError InvalidBundle */
  addLink?(path: string): void;
  /** `present` names the directories that were there.
   *  @throws TerminalError InvalidBundle; BundleFaults for several */
  finish(present: ReadonlySet<string>): BundleContent;
}

/** Reason of an error that is about the terms of an installation, not about the bundle. */
export const conversionFailed = 'ConversionFailed';
/** Reason of an error of an engine for charts: the chart cannot be rendered with these values. */
export const renderFailed = 'RenderFailed';
