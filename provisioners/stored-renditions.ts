import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { bundleDeploymentResource } from '../src/api/index.ts';
import {
  isJsonObject,
  type JsonObject,
  objectAt,
  parseJson,
  sha256Digest,
  TerminalError,
  textAt,
} from '../src/base/index.ts';
import type { InstallTerms, Rendered } from '../src/formats/index.ts';
import { findObject, isAlreadyExists, isNotFound, type KubeClient, type KubeObject, refOf } from '../src/kube/index.ts';
import { fieldManager } from './field-manager.ts';

/** On a Secret with a stored rendition: the uid of the BundleDeployment that it is of. */
const renditionLabel = 'core.rukpak.io/rendition-of';
const keyAnnotation = 'core.rukpak.io/rendition-key';
/** When it was installed last. */
const installedAnnotation = 'core.rukpak.io/rendition-installed';
/** Of versions before the one that is installed, to return to. */
const maxEarlier = 3;
const secretType = 'core.rukpak.io/rendition';
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const maxRenditionBytes = 128 * 1024 * 1024;
/** What a Secret can hold, with some room. */
const maxSecretBytes = 1_000_000;

/** Where renditions of a deployment are stored. */
export interface RenditionShelf {
  readonly kube: KubeClient;
  readonly systemNamespace: string;
  readonly deployment: KubeObject;
  readonly signal: AbortSignal;
}

/** What makes an unsteady chart be rendered again: its content, its values, and the name and place of its release. */
export function renditionKey(contentDigest: string, { config, release }: InstallTerms): string {
  const { values = null } = config;
  const documents = release?.valuesFrom.map(({ text, targetPath = '' }) => [text, targetPath]);
  return sha256Digest(JSON.stringify([contentDigest, values, documents, release?.name, release?.namespace]));
}

function secretName({ deployment }: RenditionShelf, key: string): string {
  const { name = '', uid = '' } = deployment.metadata;
  return `${name}-rendition-${sha256Digest(`${uid} ${key}`).slice('sha256:'.length, 'sha256:'.length + 16)}`;
}

/** Whether a Secret is what this very deployment has stored under the key. */
function isOf({ metadata }: KubeObject, { deployment }: RenditionShelf, key: string): boolean {
  const { uid } = deployment.metadata;
  const isOwned = metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) === true;
  return isOwned && metadata.annotations?.[keyAnnotation] === key;
}

/** What a Secret has stored; undefined where that cannot be read. */
async function renditionIn(secret: KubeObject): Promise<Rendered | undefined> {
  try {
    const packed = Buffer.from(textAt(objectAt(secret as unknown as JsonObject, 'data'), 'rendition'), 'base64');
    const text = await decompress(packed, { maxOutputLength: maxRenditionBytes });
    const rendered = parseJson('rendition', text.toString('utf8'));
    return isJsonObject(rendered) ? (rendered as unknown as Rendered) : undefined;
  } catch (thrown) {
    if (thrown instanceof TerminalError || (thrown instanceof Error && 'code' in thrown)) return undefined;
    throw thrown;
  }
}

/** What was stored under the key; undefined where nothing is, or nothing that can be read. */
export async function readRendition(shelf: RenditionShelf, key: string): Promise<Rendered | undefined> {
  const { kube, systemNamespace: namespace, signal } = shelf;
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: secretName(shelf, key) };
  const secret = await findObject(kube, ref, { signal });
  return secret && isOf(secret, shelf, key) ? await renditionIn(secret) : undefined;
}

function installedAt({ metadata }: KubeObject): string {
  return metadata.annotations?.[installedAnnotation] ?? '';
}

/** Newest installation first; what was not installed comes last, the oldest first. */
function byInstallation(a: KubeObject, b: KubeObject): number {
  const [first, second] = [installedAt(a), installedAt(b)];
  if (first !== second) return first < second ? 1 : -1;
  return (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1;
}

async function listStored(shelf: RenditionShelf, isMetadataOnly: boolean): Promise<readonly KubeObject[]> {
  const { items } = await shelf.kube.list({ ...storedIn(shelf), isMetadataOnly }, { signal: shelf.signal });
  return items.filter((secret) => isOf(secret, shelf, keyOf(secret))).toSorted(byInstallation);
}

function keyOf({ metadata }: KubeObject): string {
  return metadata.annotations?.[keyAnnotation] ?? '';
}

/** The rendition that is installed. */
export async function readInstalledRendition(shelf: RenditionShelf): Promise<Rendered | undefined> {
  const [installed] = await listStored(shelf, false);
  return installed === undefined ? undefined : await renditionIn(installed);
}

function storedIn({ systemNamespace: namespace, deployment }: RenditionShelf) {
  const labelSelector = `${renditionLabel}=${deployment.metadata.uid ?? ''}`;
  return { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector };
}

/** Stores what a chart was rendered to, before any of it is installed. False where it is too large for that. */
export async function storeRendition(shelf: RenditionShelf, key: string, rendered: Rendered): Promise<boolean> {
  const { kube, systemNamespace: namespace, deployment, signal } = shelf;
  const { objects, hooks = [], definitions = [], release } = rendered;
  const packed = await compress(JSON.stringify({ objects, hooks, definitions, release, isUnsteady: true }));
  if (packed.length > maxSecretBytes) return false;
  const { name = '', uid = '' } = deployment.metadata;
  const { apiVersion, kind } = bundleDeploymentResource;
  const metadata = {
    name: secretName(shelf, key),
    namespace,
    labels: { [renditionLabel]: uid },
    annotations: { [keyAnnotation]: key },
    ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false }],
  };
  const data = { rendition: packed.toString('base64') };
  const secret = { apiVersion: 'v1', kind: 'Secret', type: secretType, immutable: true, metadata, data };
  try {
    await kube.create(secret, { fieldManager, signal });
  } catch (thrown) {
    // Another process, or a try before this one, has stored it.
    if (!isAlreadyExists(thrown)) throw thrown;
  }
  return true;
}

async function deleteRendition({ kube, signal }: RenditionShelf, secret: KubeObject): Promise<void> {
  const { uid } = secret.metadata;
  await kube.delete(refOf(secret), { signal, ...(uid === undefined ? {} : { uid }) }).catch((thrown: unknown) => {
    if (!isNotFound(thrown)) throw thrown;
  });
}

/** Notes that what is stored under the key is installed. The versions that were installed before it stay, so that a rollback returns to what they were
 *  rendered to; older ones are deleted, and those that were never installed. */
export async function noteInstalledRendition(shelf: RenditionShelf, key: string, nowMs: number): Promise<void> {
  const { kube, signal } = shelf;
  const stored = await listStored(shelf, true);
  const [newest] = stored;
  const installed = stored.find((secret) => keyOf(secret) === key);
  if (installed !== undefined && (installed !== newest || installedAt(installed) === '')) {
    const annotations = { [installedAnnotation]: new Date(nowMs).toISOString() };
    const { uid = '' } = installed.metadata;
    await kube.patch(refOf(installed), { metadata: { uid, annotations } }, { fieldManager, signal });
  }
  const earlier = stored.filter((secret) => secret !== installed);
  for (const [index, secret] of earlier.entries()) {
    if (index >= maxEarlier || installedAt(secret) === '') await deleteRendition(shelf, secret);
  }
}
