import { type JsonObject, SourceText, TerminalError, textAt } from '../../base/index.ts';
import type { Staging } from '../../content/index.ts';
import { maxManifestFileBytes, type RegistryBundle, RegistryBundleReader } from '../../formats/index.ts';
import type { StoredBundle } from './bundle-job.ts';

/** Manifests in a catalog come without the folder that a bundle needs otherwise. */
const noAnnotations = { kind: 'file', name: 'annotations.yaml', content: Buffer.from('annotations: {}\n') } as const;

/** A bundle that is named otherwise than in its catalog would be installed, and never be found. */
function storedOf(name: string, bundle: RegistryBundle): StoredBundle {
  const csv = bundle.csv as unknown as JsonObject;
  const found = bundle.csv.metadata.name ?? '';
  if (found !== name) {
    const text = `bundle ${name}: its ClusterServiceVersion is named "${found}": expected "${name}"`;
    throw new TerminalError('InvalidBundle', text);
  }
  if (textAt(csv, 'apiVersion') === '')
    throw new TerminalError('InvalidBundle', `bundle CSV ${name} missing APIVersion`);
  const { crds, convertedCrds, others } = bundle;
  const current = crds.map((crd) => convertedCrds.get(crd.metadata.name ?? '') ?? crd);
  return { name, csv, objects: [...current, ...others] };
}

/** Reads a bundle from the manifests that a catalog has of it.
 *  @throws TerminalError InvalidBundle */
export function readManifests(name: string, manifests: readonly JsonObject[]): StoredBundle {
  const reader = new RegistryBundleReader();
  reader.addMetadata(noAnnotations);
  for (const [index, manifest] of manifests.entries()) {
    const source = new SourceText(Buffer.from(JSON.stringify(manifest)));
    reader.addParsed({ path: `manifests/${index}.json`, source, documents: [manifest] });
  }
  return storedOf(name, reader.finish(true));
}

/** Reads a bundle whose files are staged.
 *  @throws TerminalError InvalidBundle, FileTooLarge */
export async function readStagedBundle(name: string, staging: Staging): Promise<StoredBundle> {
  const reader = new RegistryBundleReader();
  for await (const entry of staging.readDirectory('metadata', maxManifestFileBytes) ?? []) reader.addMetadata(entry);
  const manifests = staging.readDirectory('manifests', maxManifestFileBytes);
  for await (const entry of manifests ?? []) reader.addManifest(entry);
  return storedOf(name, reader.finish(manifests !== undefined));
}
