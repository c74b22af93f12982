import { TerminalError } from '../../src/base/index.ts';
import type { DirectoryEntry, Staging } from '../../src/content/index.ts';
import {
  type BundleFiles,
  maxManifestFileBytes,
  type RegistryBundle,
  readRegistryBundle,
} from '../../src/formats/index.ts';

async function entriesOf(staging: Staging, directory: string): Promise<readonly DirectoryEntry[] | undefined> {
  const entries = staging.readDirectory(directory, maxManifestFileBytes);
  if (entries === undefined) return undefined;
  const list: DirectoryEntry[] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}

/** The files of a registry+v1 bundle that are looked at. */
async function registryFilesOf(staging: Staging): Promise<BundleFiles> {
  return {
    manifests: await entriesOf(staging, 'manifests'),
    metadata: (await entriesOf(staging, 'metadata')) ?? [],
  };
}

/** Reads the staged files as a registry+v1 bundle.
 *  @throws TerminalError InvalidBundle, beginning with `name` */
export async function readStagedRegistryBundle(name: string, staging: Staging): Promise<RegistryBundle> {
  try {
    return readRegistryBundle(await registryFilesOf(staging));
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError(thrown.reason, `${name}: ${thrown.message}`, { cause: thrown });
  }
}
