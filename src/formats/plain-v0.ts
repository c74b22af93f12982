import { readDeploymentConfig } from '../api/index.ts';
import { isJsonObject, type JsonObject, type JsonValue, printableLine, TerminalError } from '../base/index.ts';
import type { DirectoryEntry } from '../content/index.ts';
import { configProblemsOf } from './config-problems.ts';
import {
  type BundleContent,
  type BundleFormat,
  type BundleReader,
  maxManifestFileBytes,
  maxManifestsBytes,
} from './format.ts';
import { readManifestFile, ValueCount } from './manifest-file.ts';
import { ReadingFaults, withPrefix } from './reading-faults.ts';

function refuse(text: string, cause?: unknown): never {
  throw new TerminalError('InvalidBundle', text, { cause });
}

function contentOf(objects: readonly JsonObject[]): BundleContent {
  return { objects, parsed: objects, render: () => ({ objects }) };
}

class PlainReader implements BundleReader {
  readonly #objects: JsonObject[] = [];
  readonly #faults = new ReadingFaults();
  readonly #values = new ValueCount();
  readonly #prefix: string;
  #sizeBytes = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(directory: string, entry: DirectoryEntry): void {
    const path = `${directory}/${printableLine(entry.name)}`;
    this.#faults.attempt(() => this.#read(path, entry));
  }

  #read(path: string, entry: DirectoryEntry): void {
    if (entry.kind === 'directory') {
      const rule = 'subdirectories are not allowed within the "manifests" directory of the bundle image filesystem';
      return refuse(`${this.#prefix}${rule}: found "${path}"`);
    }
    this.#count(path, entry.content.length);
    try {
      readManifestFile(path, entry.content, { values: this.#values, take: (object) => this.#objects.push(object) });
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      throw withPrefix(this.#prefix, thrown);
    }
  }

  #count(path: string, sizeBytes: number): void {
    this.#sizeBytes += sizeBytes;
    if (sizeBytes > maxManifestFileBytes) {
      refuse(`${this.#prefix}${path}: ${sizeBytes} bytes, more than the limit of ${maxManifestFileBytes} bytes`);
    }
    if (this.#sizeBytes > maxManifestsBytes) {
      refuse(`${this.#prefix}manifests: all files together have more than the limit of ${maxManifestsBytes} bytes`);
    }
  }

  get taken(): readonly JsonObject[] {
    return this.#objects;
  }

  finish(present: ReadonlySet<string>): BundleContent {
    if (!present.has('manifests')) refuse(`${this.#prefix}${noManifests}`);
    this.#faults.assertNone();
    if (this.#objects.length > 0) return contentOf(this.#objects);
    refuse('invalid bundle: found zero objects: plain+v0 bundles are required to contain at least one object');
  }
}

/** RukPak's words, and what they mean. */
const noManifests =
  'readdir manifests: file does not exist: expected a directory "manifests" at the root of the bundle';

const supported = ['installNamespace', 'serviceAccount'];

/** The original accepts any value there, so it is not refused. */
function configWarnings(config: JsonValue): readonly string[] {
  const names = Object.keys(isJsonObject(config) ? config : {});
  return names
    .filter((name) => !supported.includes(name))
    .map(
      (name) => `spec.config.${name.slice(0, 63)} has no effect: plain bundles support only ${supported.join(' and ')}`,
    );
}

/** Static manifests in `manifests/`, taken verbatim. Messages about files start with the given prefix.
 *  @see docs/spec/rukpak-v1alpha1.md#plain-v0 */
export const plainV0: BundleFormat = {
  name: 'plain+v0',
  directories: ['manifests'],
  maxFileBytes: maxManifestFileBytes,
  dependsOnCluster: false,
  begin: (prefix) => new PlainReader(prefix),
  restore: (parsed) => contentOf(parsed as readonly JsonObject[]),
  configProblems: (config) => configProblemsOf(config, [readDeploymentConfig]),
  configWarnings,
};
