import type { JsonObject } from '../base/index.ts';
import type { DirectoryEntry } from '../content/index.ts';

/** Bounds on what is read into memory. */
export const maxManifestFileBytes: number = 4 * 1024 * 1024;
/** All files of one bundle that are parsed, together. */
export const maxManifestsBytes: number = 64 * 1024 * 1024;

/** Turns a bundle's files into objects. Pure: the caller reads the files, one after the other in the order of their names. */
export interface BundleFormat {
  /** `plain+v0` */
  readonly name: string;
  /** The directory of the bundle that holds manifests. */
  readonly directory: string;
  /** A collector for one bundle; `prefix` names the stage in messages. */
  begin(prefix: string): ManifestCollector;
}

/** Takes a directory's entries and gives the objects in them. */
export interface ManifestCollector {
  /** @throws TerminalError InvalidBundle */
  add(entry: DirectoryEntry): void;
  /** All objects; `hasDirectory` says whether the directory was there.
   *  @throws TerminalError InvalidBundle */
  finish(hasDirectory: boolean): readonly JsonObject[];
}
