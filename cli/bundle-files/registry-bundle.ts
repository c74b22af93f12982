import { TerminalError } from '../../src/base/index.ts';
import type { Staging } from '../../src/content/index.ts';
import { maxManifestFileBytes, type RegistryBundle, RegistryBundleReader } from '../../src/formats/index.ts';

async function readStaged(staging: Staging): Promise<RegistryBundle> {
  const reader = new RegistryBundleReader();
  for await (const entry of staging.readDirectory('metadata', maxManifestFileBytes) ?? []) reader.addMetadata(entry);
  const manifests = staging.readDirectory('manifests', maxManifestFileBytes);
  for await (const entry of manifests ?? []) reader.addManifest(entry);
  return reader.finish(manifests !== undefined);
}

/** Reads the staged files as a registry+v1 bundle.
 *  @throws TerminalError InvalidBundle, beginning with `name` */
export async function readStagedRegistryBundle(name: string, staging: Staging): Promise<RegistryBundle> {
  try {
    return await readStaged(staging);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError(thrown.reason, `${name}: ${thrown.message}`, { cause: thrown });
  }
}
