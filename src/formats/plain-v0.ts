import { type JsonObject, TerminalError } from '../base/index.ts';
import type { DirectoryEntry } from '../content/index.ts';
import { type BundleFormat, type ManifestCollector, maxManifestFileBytes, maxManifestsBytes } from './format.ts';
import { parseManifestFile } from './manifest-file.ts';

function refuse(text: string, cause?: unknown): never {
  throw new TerminalError('InvalidBundle', text, { cause });
}

class PlainCollector implements ManifestCollector {
  readonly #objects: JsonObject[] = [];
  readonly #prefix: string;
  #sizeBytes = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(entry: DirectoryEntry): void {
    const path = `manifests/${entry.name}`;
    if (entry.kind === 'directory') {
      const rule = 'subdirectories are not allowed within the "manifests" directory of the bundle image filesystem';
      refuse(`${this.#prefix}${rule}: found "${path}"`);
    }
    this.#count(path, entry.content.length);
    try {
      for (const object of parseManifestFile(path, entry.content)) this.#objects.push(object);
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      throw new TerminalError(thrown.reason, `${this.#prefix}${thrown.message}`, { cause: thrown });
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

  finish(hasDirectory: boolean): readonly JsonObject[] {
    if (!hasDirectory) refuse(`${this.#prefix}readdir manifests: file does not exist`);
    if (this.#objects.length > 0) return this.#objects;
    refuse('invalid bundle: found zero objects: plain+v0 bundles are required to contain at least one object');
  }
}

/** Static manifests in `manifests/`, taken verbatim. Messages about files start with the given prefix.
 *  @see rukpak-v1alpha1.md, section 5.1 */
export const plainV0: BundleFormat = {
  name: 'plain+v0',
  directory: 'manifests',
  begin: (prefix) => new PlainCollector(prefix),
};
