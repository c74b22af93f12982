import type { JsonObject, JsonValue } from '../base/index.ts';
import type { DirectoryEntry } from '../content/index.ts';

/** Limit of one parsed file for all callers: rendering, installation and checks read the same files. */
export const maxManifestFileBytes: number = 32 * 1024 * 1024;
/** All files of one bundle that are parsed, together. */
export const maxManifestsBytes: number = 64 * 1024 * 1024;

/** What an installation may depend on besides the bundle and its configuration. */
export interface ClusterFacts {
  /** The available certificate providers, the preferred one first. */
  readonly certificateProviders: readonly string[];
  /** Of the API server: `v1.33.1`. */
  readonly kubeVersion: string;
}

/** What a bundle is installed with. */
export interface InstallTerms {
  /** `spec.config` of the deployment. */
  readonly config: JsonObject;
  readonly cluster: ClusterFacts;
}

/** A namespace as it is to be made where it is missing. */
export interface InstallNamespace {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What a bundle becomes in a cluster. */
export interface Rendered {
  readonly objects: readonly JsonObject[];
  /** Undefined: the namespace of the deployment's configuration, or the system namespace. */
  readonly installNamespace?: InstallNamespace;
}

/** A bundle that was read and found good. */
export interface BundleContent {
  /** Its manifests as they are. */
  readonly objects: readonly JsonObject[];
  /** What `restore` of the format makes this of again, without parsing: plain data, to be stored. */
  readonly parsed: unknown;
  /** The objects to install. Pure.
   *  @throws TerminalError ConversionFailed: not with these terms */
  render(terms: InstallTerms): Rendered;
}

/** Turns a bundle's files into objects. Pure: the caller reads the files, directory after directory, in the order of their names. */
export interface BundleFormat {
  /** `plain+v0` */
  readonly name: string;
  /** The directories of the bundle that are read; files are looked for right in them. */
  readonly directories: readonly string[];
  /** Of one file. */
  readonly maxFileBytes: number;
  /** Whether `render` depends on facts about the cluster. */
  readonly dependsOnCluster: boolean;
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
  /** @throws TerminalError InvalidBundle */
  add(directory: string, entry: DirectoryEntry): void;
  /** `present` names the directories that were there.
   *  @throws TerminalError InvalidBundle */
  finish(present: ReadonlySet<string>): BundleContent;
}

/** Reason of an error that is about the terms of an installation, not about the bundle. */
export const conversionFailed = 'ConversionFailed';
