import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/index.ts';
import type { Payload, PayloadPlace } from './scenario.ts';

const repository = 'registry.example.com/release';

/** The digest of a payload that is known by this name. Nothing fetches it: it stands for one. */
export function digestOf(name: string): string {
  return `sha256:${createHash('sha256').update(`release ${name}`).digest('hex')}`;
}

/** The pull spec of a payload. */
export function pullSpecOf(name: string, { hasTag }: Pick<Payload, 'hasTag'>): string {
  return hasTag === true ? `${repository}:${name}` : `${repository}@${digestOf(name)}`;
}

/** The name of the folder in which the cluster-version-operator keeps a payload that it has downloaded. */
function folderNameOf(image: string): string {
  return createHash('md5').update(image).digest('base64url');
}

function textOf(content: readonly JsonObject[] | string): string {
  if (typeof content === 'string') return content;
  return content.map((object) => `---\n${JSON.stringify(object, undefined, 1)}\n`).join('');
}

function metadataOf({ version, metadata = {} }: Payload): JsonObject {
  return { kind: 'cincinnati-metadata-v0', version, previous: [], ...metadata };
}

function imageReferencesOf({ version, imageReferencesName, images = {} }: Payload): JsonObject {
  const tags = Object.entries(images).map(([name, image]) => ({ name, from: { kind: 'DockerImage', name: image } }));
  return {
    kind: 'ImageStream',
    apiVersion: 'image.openshift.io/v1',
    metadata: { name: imageReferencesName ?? version, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { lookupPolicy: { local: false }, tags },
  };
}

/** Writes a payload below a folder. */
export async function writePayload(name: string, payload: Payload, parent: string): Promise<PayloadPlace> {
  const image = pullSpecOf(name, payload);
  const folder = join(parent, folderNameOf(image));
  const files = {
    ...Object.fromEntries(
      Object.entries(payload.engineFiles ?? {}).map(([file, content]) => [join('manifests', file), textOf(content)]),
    ),
    ...Object.fromEntries(
      Object.entries(payload.files).map(([file, content]) => [join('release-manifests', file), textOf(content)]),
    ),
    [join('release-manifests', 'release-metadata')]: JSON.stringify(metadataOf(payload)),
    [join('release-manifests', 'image-references')]: JSON.stringify(imageReferencesOf(payload)),
  };
  await mkdir(join(folder, 'manifests'), { recursive: true });
  await mkdir(join(folder, 'release-manifests'), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  const { lacks } = payload;
  if (lacks !== undefined) {
    const inFolder = lacks === 'manifests' || lacks === 'release-manifests' ? lacks : join('release-manifests', lacks);
    await rm(join(folder, inFolder), { recursive: true });
  }
  return { image, folder, version: payload.version };
}
