import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatYaml, type JsonObject } from '../../src/base/index.ts';

/** A release of a few manifests, for tests. */
export interface ReleaseContent {
  readonly version: string;
  readonly previous?: readonly string[];
  /** Manifests by the name of their file; each gets the annotation by which a cluster includes it. */
  readonly manifests: Readonly<Record<string, JsonObject | readonly JsonObject[]>>;
  /** Further members of `metadata` in `release-metadata`. */
  readonly metadata?: JsonObject;
  /** Files as they are, by their path in the release. */
  readonly files?: Readonly<Record<string, string>>;
}

const includeAnnotation = 'include.release.openshift.io/self-managed-high-availability';

function included(object: JsonObject): JsonObject {
  const metadata = object['metadata'] as JsonObject;
  const annotations = { [includeAnnotation]: 'true', ...(metadata['annotations'] as JsonObject | undefined) };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Writes a release to a folder, which is returned. */
export async function writeRelease(folder: string, content: ReleaseContent): Promise<string> {
  const { version, previous = [], manifests, metadata = {}, files = {} } = content;
  const target = join(folder, 'release-manifests');
  await mkdir(target, { recursive: true });
  await mkdir(join(folder, 'manifests'), { recursive: true });
  for (const [name, objects] of Object.entries(manifests)) {
    const documents = (Array.isArray(objects) ? objects : [objects]) as readonly JsonObject[];
    await writeFile(join(target, name), documents.map((object) => formatYaml(included(object))).join('---\n'));
  }
  const images = { kind: 'ImageStream', apiVersion: 'image.openshift.io/v1', metadata: { name: version }, spec: {} };
  await writeFile(join(target, 'image-references'), JSON.stringify(images));
  const facts = { kind: 'cincinnati-metadata-v0', version, previous, metadata };
  await writeFile(join(target, 'release-metadata'), JSON.stringify(facts));
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  return folder;
}
