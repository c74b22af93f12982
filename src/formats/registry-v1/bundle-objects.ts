import { type JsonObject, SourceText, TerminalError, textAt } from '../../base/index.ts';
import type { Staging } from '../../content/index.ts';
import type { BundleContent } from '../../operators/index.ts';
import { maxManifestFileBytes } from '../format.ts';
import { RegistryBundleReader } from './read.ts';
import type { RegistryBundle } from './registry-bundle.ts';

/** The objects of a bundle that was read. */
export type BundleObjects = Pick<BundleContent, 'name' | 'csv' | 'objects'>;

/** Manifests in a catalog come without the folder that a bundle needs otherwise. */
const noAnnotations = { kind: 'file', name: 'annotations.yaml', content: Buffer.from('annotations: {}\n') } as const;

/** A bundle that is named otherwise than in its catalog would be installed, and never be found. */
function objectsOf(expected: string | undefined, bundle: RegistryBundle): BundleObjects {
  const csv = bundle.csv as unknown as JsonObject;
  const found = bundle.csv.metadata.name ?? '';
  const name = expected ?? found;
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
export function readManifests(name: string, manifests: readonly JsonObject[]): BundleObjects {
  const reader = new RegistryBundleReader();
  reader.addMetadata(noAnnotations);
  for (const [index, manifest] of manifests.entries()) {
    const source = new SourceText(Buffer.from(JSON.stringify(manifest)));
    reader.addParsed({ path: `manifests/${index}.json`, source, documents: [manifest] });
  }
  return objectsOf(name, reader.finish(true));
}

/** Reads a bundle whose files are staged; its ClusterServiceVersion has any name where none is expected.
 *  @throws TerminalError InvalidBundle, FileTooLarge */
export async function readStagedBundle(name: string | undefined, staging: Staging): Promise<BundleObjects> {
  const reader = new RegistryBundleReader();
  for await (const entry of staging.readDirectory('metadata', maxManifestFileBytes) ?? []) reader.addMetadata(entry);
  const manifests = staging.readDirectory('manifests', maxManifestFileBytes);
  for await (const entry of manifests ?? []) reader.addManifest(entry);
  return objectsOf(name, reader.finish(manifests !== undefined));
}
