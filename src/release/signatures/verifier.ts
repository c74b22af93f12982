import { errorMessage, type JsonObject, objectAt, TerminalError } from '../../base/index.ts';
import { type Keyring, readKeyring } from '../../openpgp/index.ts';
import type { ReleaseManifest } from '../index.ts';

/** What a payload declares about signatures of the releases that may follow it. */
export interface ReleaseVerifier {
  /** Each of them must have signed. Named by their keys in the ConfigMap. */
  readonly keyrings: readonly Keyring[];
  /** `https`, `http` or `file`. */
  readonly storeUrls: readonly string[];
}

const annotation = 'release.openshift.io/verification-config-map';
const keyPrefix = 'verifier-public-key-';
const storePrefix = 'store-';
/** As of `spec.signatureStores`. */
const maxStores = 32;
const maxKeyrings = 32;

function refuse(text: string, cause?: unknown): never {
  throw new TerminalError('InvalidVerifier', text, { cause });
}

function isStoreUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:', 'file:'].includes(new URL(text).protocol);
}

async function readKey(source: string, key: string, text: string): Promise<Keyring> {
  try {
    return await readKeyring(key, Buffer.from(text));
  } catch (thrown) {
    const why = `${source} has an invalid key "${key}" that must be a GPG public key: ${errorMessage(thrown)}`;
    return refuse(why, thrown);
  }
}

async function readEntries(source: string, data: JsonObject): Promise<ReleaseVerifier> {
  const keyrings: Keyring[] = [];
  const storeUrls: string[] = [];
  for (const [key, value] of Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (typeof value !== 'string') return refuse(`${source} is not valid: "${key}": expected a string`);
    if (key.startsWith(keyPrefix)) keyrings.push(await readKey(source, key, value));
    if (!key.startsWith(storePrefix)) continue;
    if (!isStoreUrl(value.trim())) {
      refuse(`${source} has an invalid key "${key}": must be a valid URL with scheme file://, http://, or https://`);
    }
    storeUrls.push(value.trim());
  }
  return { keyrings, storeUrls };
}

/** The verifier of a payload, from its first ConfigMap with the annotation `release.openshift.io/verification-config-map`; undefined without one.
 *  @throws TerminalError InvalidVerifier, with the texts of the reference
 *  @see docs/spec/cluster-version.md#configuration-in-the-payload */
export async function readVerifier(manifests: readonly ReleaseManifest[]): Promise<ReleaseVerifier | undefined> {
  const found = manifests.find(
    ({ key, metadata }) =>
      key.group === '' &&
      key.kind === 'ConfigMap' &&
      Object.hasOwn(objectAt(metadata, 'annotations') ?? {}, annotation),
  );
  if (found === undefined) return undefined;
  const source = `the config map ${found.key.namespace}/${found.key.name}`;
  const verifier = await readEntries(source, objectAt(found.object, 'data') ?? {});
  const { keyrings, storeUrls } = verifier;
  if (storeUrls.length === 0) refuse(`${source} did not provide any signature stores to read from and cannot be used`);
  if (keyrings.length === 0)
    refuse(`${source} did not provide any GPG public keys to verify signatures from and cannot be used`);
  if (storeUrls.length > maxStores || keyrings.length > maxKeyrings)
    refuse(`${source}: more than ${maxStores} stores or ${maxKeyrings} keys`);
  return verifier;
}
