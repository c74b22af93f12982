import { namespaceMadeForAnnotation } from '../api/index.ts';
import { TransientError } from '../base/index.ts';
import {
  findObject,
  isAlreadyExists,
  isForbidden,
  type KubeClient,
  type KubeObject,
  preconditionOf,
  refOf,
} from '../kube/index.ts';
import { isStricterLevel, parsePodSecurityLevel } from '../pod-security/index.ts';
import { fieldManager, type Owner } from './ownership.ts';
import type { UnansweredWrites } from './unanswered-writes.ts';

/** Labels and annotations of a namespace. */
export interface NamespaceMarks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The namespace for objects that name none. */
export interface NamespaceRequest {
  readonly name: string;
  /** The BundleDeployment that it is for. */
  readonly owner: Owner;
  readonly marks: NamespaceMarks | undefined;
  /** Called with the reason why Pods of the installation will be rejected. */
  readonly onUnfit: ((why: string) => void) | undefined;
  readonly signal: AbortSignal;
}

/** The client that writes the namespace, and the one that reads it. */
interface Clients {
  readonly kube: KubeClient;
  readonly platform: KubeClient;
  readonly unanswered: UnansweredWrites;
}

const levelLabel = 'pod-security.kubernetes.io/enforce';

/** Whether an installation has set the level, and no one has changed it since. */
function isOurLevel({ metadata }: KubeObject): boolean {
  return (metadata.managedFields ?? []).some(
    ({ manager, fieldsV1 }) => manager === fieldManager && JSON.stringify(fieldsV1 ?? {}).includes(`f:${levelLabel}`),
  );
}

/** Whether it is done: not everybody may change a namespace. */
async function relabel(
  kube: KubeClient,
  namespace: KubeObject,
  { level, signal }: { readonly level: string; readonly signal: AbortSignal },
): Promise<boolean> {
  const metadata = { ...preconditionOf(namespace), labels: { [levelLabel]: level } };
  try {
    await kube.patch(refOf(namespace), { metadata }, { fieldManager, signal });
    return true;
  } catch (thrown) {
    if (isForbidden(thrown)) return false;
    throw thrown;
  }
}

/** Raises the Pod Security level for Pods that the namespace was not created for; a level that another owner has set stays, and is reported. */
async function admitPods(kube: KubeClient, namespace: KubeObject, request: NamespaceRequest): Promise<void> {
  const required = request.marks?.labels[levelLabel];
  const needed = parsePodSecurityLevel(required);
  const enforced = parsePodSecurityLevel(namespace.metadata.labels?.[levelLabel]);
  if (required === undefined || needed === undefined || enforced === undefined || !isStricterLevel(enforced, needed)) {
    return;
  }
  if (isOurLevel(namespace) && (await relabel(kube, namespace, { level: required, signal: request.signal }))) return;
  const advice = `kubectl label namespace ${request.name} --overwrite ${levelLabel}=${required}`;
  request.onUnfit?.(
    `Namespace "${request.name}" enforces the Pod Security level "${enforced}", but Pods of this bundle require "${required}": they are rejected until an administrator runs ${advice} or the bundle is installed in another namespace`,
  );
}

/** Creates the namespace for objects that name none, when it is missing, and records its deployment. An existing one is not changed, except for a Pod
 *  Security level of our own that is too strict by now.
 *  @throws TransientError NamespaceTerminating */
export async function ensureNamespace(
  { kube, platform, unanswered }: Clients,
  request: NamespaceRequest,
): Promise<void> {
  const { name, owner, marks, signal } = request;
  const annotations = { ...marks?.annotations, [namespaceMadeForAnnotation]: owner.name };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...marks, annotations } };
  const live = await readNamespace(platform, name, signal);
  if (live?.metadata.deletionTimestamp !== undefined) {
    const text = `Namespace "${name}" is being deleted: it is created again after its deletion`;
    throw new TransientError('NamespaceTerminating', text, { retryAfterMs: 1_000 });
  }
  if (live !== undefined) return await admitPods(kube, live, request);
  try {
    await unanswered.watch(owner, refOf(namespace), () => kube.create(namespace, { fieldManager, signal }));
  } catch (thrown) {
    // It came just now.
    if (!isAlreadyExists(thrown)) throw thrown;
  }
}

/** The namespace, if it exists. */
export async function readNamespace(
  kube: KubeClient,
  name: string,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  return await findObject(kube, { apiVersion: 'v1', kind: 'Namespace', name }, { signal });
}
