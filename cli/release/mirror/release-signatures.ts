import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  errorMessage,
  formatYaml,
  readProxySettings,
  replaceFile,
  TerminalError,
  withDeadline,
} from '../../../src/base/index.ts';
import type { ReleasePayload } from '../../../src/release/index.ts';
import {
  type FoundSignatures,
  findInStore,
  readVerifier,
  type SignatureStore,
  signaturesConfigMap,
  storesAt,
} from '../../../src/release/signatures/index.ts';
import { createHttpClient } from '../../../src/sources/index.ts';
import { readAuthorities } from '../../input/index.ts';
import { counted } from '../../output/index.ts';
import { fileStoreUrl, storeUrlOf } from '../signature-places.ts';

const answerDeadlineMs = 30_000;
/** As many as clusters read. */
const maxStoredSignatures = 9;
const searchDeadlineMs = 2 * 60_000;
/** A release may name any. */
const maxNamedStores = 10;
/** Where clusters look for signatures in ConfigMaps. */
const signaturesNamespace = 'openshift-config-managed';

/** Where signatures of releases are searched. */
export interface SearchedPlaces {
  /** Addresses and folders of `--store`. */
  readonly stores: readonly string[];
  /** The folder of a mirror, which has those of its releases. */
  readonly folder: string | undefined;
  /** The file of `--registry-ca`. */
  readonly authorities: string | undefined;
}

/** What a release itself names, without folders of this machine.
 *  @throws TerminalError InvalidVerifier, TooManyStores */
async function storesOf({ manifests }: ReleasePayload): Promise<readonly string[]> {
  const verifier = await readVerifier(manifests);
  const urls = (verifier?.storeUrls ?? []).filter((url) => !url.startsWith('file:'));
  if (urls.length <= maxNamedStores) return urls;
  throw new TerminalError('TooManyStores', `the release names ${urls.length} stores, more than ${maxNamedStores}`);
}

/** Every OpenPGP packet begins so. Another file may be a link to what is not meant to leave this machine. */
function isOpenpgp(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x80) !== 0;
}

async function search(store: SignatureStore, digest: string, signal: AbortSignal): Promise<FoundSignatures> {
  const limits = { deadlineMs: searchDeadlineMs, signal };
  const found = await withDeadline('the search for signatures', limits, (within) => findInStore(store, digest, within));
  const signatures = found.signatures.filter(isOpenpgp);
  const others = found.signatures.length - signatures.length;
  if (others === 0) return found;
  return { signatures, problems: [...found.problems, `${counted(others, 'file')} without an OpenPGP message`] };
}

/** The OpenPGP signatures of a release. They are not verified: the cluster does so, with keys that it trusts. */
export async function findSignatures(
  { payload, digest }: { readonly payload: ReleasePayload; readonly digest: string },
  places: SearchedPlaces,
  signal: AbortSignal,
): Promise<FoundSignatures> {
  const { folder, stores, authorities } = places;
  const own = folder === undefined ? [] : [fileStoreUrl(join(folder, signaturesFolder))];
  const urls = [...own, ...(await Promise.all(stores.map(storeUrlOf)))];
  const caPem = await readAuthorities(authorities);
  using http = createHttpClient({ caPem, proxies: readProxySettings(process.env), answerDeadlineMs });
  try {
    const named = folder === undefined ? await storesOf(payload) : [];
    const store = storesAt([...urls, ...named].map((url) => ({ url, http })));
    return await search(store, digest, signal);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return { signatures: [], problems: [errorMessage(thrown)] };
  }
}

/** Beside the images of a mirror, in the layout of a store. */
export const signaturesFolder = 'signatures';

async function storeFolder(folder: string, digest: string): Promise<string> {
  const place = join(folder, digest.replace(':', '='));
  await mkdir(place, { recursive: true });
  return place;
}

async function writeSignature(path: string, bytes: Buffer): Promise<void> {
  await replaceFile(path, bytes, { temporaryPath: `${path}.partial`, mode: 0o644 });
}

/** Writes signatures as a store has them: `sha256=DIGEST/signature-1`, and so on. */
export async function writeStore(folder: string, digest: string, signatures: readonly Buffer[]): Promise<void> {
  const place = await storeFolder(folder, digest);
  for (const [index, bytes] of signatures.entries()) await writeSignature(join(place, `signature-${index + 1}`), bytes);
}

/** Adds a signature to those that a store has; the path of its file.
 *  @throws TerminalError TooManySignatures */
export async function addToStore(folder: string, digest: string, signature: Buffer): Promise<string> {
  const place = await storeFolder(folder, digest);
  for (let number = 1; number <= maxStoredSignatures; number += 1) {
    const path = join(place, `signature-${number}`);
    if (existsSync(path)) continue;
    await writeSignature(path, signature);
    return path;
  }
  throw new TerminalError(
    'TooManySignatures',
    `${place}: has ${maxStoredSignatures} signatures, and clusters read no more`,
  );
}

/** Writes signatures as a ConfigMap, for clusters that reach no store. */
export async function writeConfigMap(folder: string, digest: string, signatures: readonly Buffer[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const name = digest.replace(':', '-');
  const path = join(folder, `${name}.yaml`);
  const object = signaturesConfigMap({ namespace: signaturesNamespace, name }, new Map([[digest, signatures]]));
  await replaceFile(path, formatYaml(object), { temporaryPath: `${path}.partial`, mode: 0o644 });
  return path;
}
