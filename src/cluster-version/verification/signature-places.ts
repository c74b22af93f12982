import { errorMessage, type JsonObject, objectAt, type ProxySettings, textAt } from '../../base/index.ts';
import { isNotFound, type KubeClient } from '../../kube/index.ts';
import {
  configMapStore,
  type SignatureStore,
  type StoreAddress,
  serialStore,
  signaturesLabel,
  storesAt,
  unusableStore,
} from '../../release/signatures/index.ts';
import { createHttpClient, type HttpClient } from '../../sources/index.ts';
import type { VerificationRequest } from './verification.ts';

/** Where the configuration of a cluster is kept. */
export const managedNamespace = 'openshift-config-managed';
const configNamespace = 'openshift-config';
const authoritiesKey = 'ca-bundle.crt';
const answerDeadlineMs = 30_000;
/** Of ConfigMaps with signatures, each of at most a megabyte. */
const maxConfigMaps = 100;

/** How web stores are reached. */
export interface StoreAccess {
  /** PEM of authorities that are trusted beside those of the system. */
  readonly caPem?: readonly string[] | undefined;
  readonly proxies?: ProxySettings | undefined;
}

type Address = VerificationRequest['stores'][number];

async function signatureConfigMaps(kube: KubeClient, signal: AbortSignal): Promise<JsonObject[]> {
  const target = { apiVersion: 'v1', kind: 'ConfigMap', namespace: managedNamespace, labelSelector: signaturesLabel };
  const found: JsonObject[] = [];
  for await (const page of kube.listPages(target, { pageSize: 10, signal })) {
    found.push(...(page.items as readonly JsonObject[]).slice(0, maxConfigMaps - found.length));
    if (found.length >= maxConfigMaps) break;
  }
  return found;
}

async function authorityOf(kube: KubeClient, { url, ca }: Address, signal: AbortSignal): Promise<readonly string[]> {
  if (ca === undefined || ca.name === '') return [];
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: configNamespace, name: ca.name };
  try {
    const pem = textAt(objectAt((await kube.get(ref, { signal })) as JsonObject, 'data'), authoritiesKey);
    if (pem !== '') return [pem];
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
  const where = `ConfigMap "${ca.name}" in namespace "${configNamespace}"`;
  throw new Error(`${url}: expected certificate authorities in the key ${authoritiesKey} of the ${where}`);
}

/** Stores that are searched for signatures: ConfigMaps of the cluster, then the stores of its administrator or, without any, those of the release.
 *  @see docs/spec/cluster-version.md#stores-and-lookup-order */
export async function openSignatureStores(
  {
    kube,
    access,
    own,
    configured,
  }: {
    readonly kube: KubeClient;
    readonly access: StoreAccess;
    /** URLs that the running release names. */
    readonly own: readonly string[];
    readonly configured: readonly Address[];
  },
  signal: AbortSignal,
): Promise<{ readonly store: SignatureStore } & Disposable> {
  const stack = new DisposableStack();
  const { proxies, caPem = [] } = access;
  const clientWith = (extra: readonly string[]): HttpClient =>
    stack.use(createHttpClient({ caPem: [...caPem, ...extra], proxies, answerDeadlineMs }));
  const remote: SignatureStore[] = [];
  if (configured.length === 0) {
    const http = clientWith([]);
    remote.push(storesAt(own.map((url) => ({ url, http }))));
  }
  const usable: StoreAddress[] = [];
  for (const address of configured) {
    try {
      usable.push({ url: address.url, http: clientWith(await authorityOf(kube, address, signal)) });
    } catch (thrown) {
      signal.throwIfAborted();
      remote.push(unusableStore(address.url, errorMessage(thrown)));
    }
  }
  if (usable.length > 0) remote.push(storesAt(usable));
  const inCluster = configMapStore(managedNamespace, (search) => signatureConfigMaps(kube, search));
  return { store: serialStore([inCluster, ...remote]), [Symbol.dispose]: () => stack.dispose() };
}
