import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, formatYaml, readProxySettings, replaceFile } from '../../../src/base/index.ts';
import type { ReleasePayload } from '../../../src/release/index.ts';
import {
  type FoundSignatures,
  findInStore,
  readVerifier,
  serialStore,
  signaturesConfigMap,
  storesAt,
} from '../../../src/release/signatures/index.ts';
import { createHttpClient } from '../../../src/sources/index.ts';
import { readAuthorities } from '../../input/index.ts';
import { fileStoreUrl, storeUrlOf } from '../signature-places.ts';

const answerDeadlineMs = 30_000;
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

/** What a release itself names, without folders of this machine. */
async function storesOf({ manifests }: ReleasePayload): Promise<readonly string[]> {
  const verifier = await readVerifier(manifests);
  return (verifier?.storeUrls ?? []).filter((url) => !url.startsWith('file:'));
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
  let named: readonly string[] = [];
  const problems: string[] = [];
  try {
    if (folder === undefined) named = await storesOf(payload);
  } catch (thrown) {
    problems.push(errorMessage(thrown));
  }
  const caPem = await readAuthorities(authorities);
  using http = createHttpClient({ caPem, proxies: readProxySettings(process.env), answerDeadlineMs });
  const store = serialStore([storesAt([...urls, ...named].map((url) => ({ url, http })))]);
  const found = await findInStore(store, digest, signal);
  return { signatures: found.signatures, problems: [...problems, ...found.problems] };
}

/** Beside the images of a mirror, in the layout of a store. */
export const signaturesFolder = 'signatures';

/** Writes signatures as a store has them: `sha256=DIGEST/signature-1`, and so on. */
export async function writeStore(folder: string, digest: string, signatures: readonly Buffer[]): Promise<void> {
  const place = join(folder, digest.replace(':', '='));
  await mkdir(place, { recursive: true });
  for (const [index, bytes] of signatures.entries()) {
    const path = join(place, `signature-${index + 1}`);
    await replaceFile(path, bytes, { temporaryPath: `${path}.partial`, mode: 0o644 });
  }
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
