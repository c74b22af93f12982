import { clusterVersionFieldManager } from '../../api/index.ts';
import { type Clock, errorMessage, type JsonObject, type Logger, objectAt } from '../../base/index.ts';
import { isNotFound, type KubeClient, type KubeObject } from '../../kube/index.ts';
import {
  readVerifier,
  signaturesConfigMap,
  UnverifiedReleaseError,
  type VerifiedRelease,
  verifyRelease,
} from '../../release/signatures/index.ts';
import { managedNamespace, openSignatureStores, type StoreAccess } from './signature-places.ts';
import type { VerificationRequest, VerifyRelease } from './verification.ts';

/** What releases are verified with. */
export interface VerificationOptions {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly access: StoreAccess;
  /** Whether releases are accepted unverified while the running one names no keys. Where it names keys, they must have signed. */
  readonly allowsUnsigned: boolean;
}

const configMapName = 'signatures-managed';
const noKeys =
  'the running release has no ConfigMap with the annotation release.openshift.io/verification-config-map: nothing names the keys of the next one. Force the update, or start the engine with --allow-unsigned-releases';
const maxDigests = 64;
/** A ConfigMap has at most a megabyte. */
const maxStoredCharacters = 700_000;

type Stored = ReadonlyMap<string, string>;

/** Signatures of earlier processes. They are candidates as all others are, so nothing depends on who wrote them. */
async function readStored(kube: KubeClient, signal: AbortSignal): Promise<Stored> {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: managedNamespace, name: configMapName };
  try {
    const data = objectAt((await kube.get(ref, { signal })) as JsonObject, 'binaryData') ?? {};
    return new Map(Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch (thrown) {
    if (isNotFound(thrown)) return new Map();
    throw thrown;
  }
}

/** The new signatures, and as many of those before as there is room for. */
function joined(found: Stored, before: Stored): Record<string, string> {
  const all = new Map<string, string>();
  const digests = new Set<string>();
  let characters = 0;
  for (const [key, value] of [...found, ...before]) {
    const digest = key.replace(/-\d+$/, '');
    characters += value.length;
    if (characters > maxStoredCharacters || (digests.size === maxDigests && !digests.has(digest))) break;
    digests.add(digest);
    if (!all.has(key)) all.set(key, value);
  }
  return Object.fromEntries(all);
}

/** Keeps signatures in the cluster, so that it can verify the release again without access to the stores. */
async function keep(
  { digest, signatures }: VerifiedRelease,
  { kube, log }: VerificationOptions,
  signal: AbortSignal,
): Promise<void> {
  const metadata = { namespace: managedNamespace, name: configMapName };
  const desired = signaturesConfigMap(metadata, new Map([[digest, signatures]]));
  const found = new Map(Object.entries(objectAt(desired, 'binaryData') ?? {}) as [string, string][]);
  try {
    const binaryData = joined(found, await readStored(kube, signal));
    const object = { ...desired, binaryData } as unknown as KubeObject;
    await kube.apply(object, { fieldManager: clusterVersionFieldManager, force: true, signal });
  } catch (thrown) {
    signal.throwIfAborted();
    // The release is verified all the same. Without the namespace there is no place for them.
    if (!isNotFound(thrown)) log.warn({ digest, message: errorMessage(thrown) }, 'signatures not kept');
  }
}

async function verify(
  { image, running, stores: configured }: VerificationRequest,
  options: VerificationOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { kube, clock, log, access, allowsUnsigned } = options;
  const verifier = await readVerifier(running);
  if (verifier === undefined && allowsUnsigned) {
    log.warn({ image }, 'release accepted without verification: the running one names no keys');
    return false;
  }
  if (verifier === undefined) {
    throw new UnverifiedReleaseError('verification is not possible', [{ atMs: clock.now(), problem: noKeys }]);
  }
  const places = { kube, access, own: verifier.storeUrls, configured };
  using opened = await openSignatureStores(places, signal);
  await keep(await verifyRelease(image, { verifier, store: opened.store, clock, signal }), options, signal);
  return true;
}

/** Verifies releases with the keys of the one that runs.
 *  @see docs/spec/cluster-version.md#release-verification */
export function releaseVerification(options: VerificationOptions): VerifyRelease {
  return (request, signal) => verify(request, options, signal);
}
