import { bundleDeploymentResource, namespaceMadeForAnnotation, olmLabels } from '../api/index.ts';
import { errorMessage, mapLimit } from '../base/index.ts';
import {
  describeRef,
  isConflict,
  isForbidden,
  isKubeError,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  type ObjectRef,
  type OwnerReference,
  refOf,
} from '../kube/index.ts';
import { clientFor } from './account.ts';
import type { Inventory } from './inventory.ts';
import { fieldManager, type Owner } from './ownership.ts';

/** On whose behalf namespaces are left. */
export interface Leaving {
  readonly owner: Owner;
  /** Another BundleDeployment that has objects in a namespace, or is about to. */
  readonly othersIn: (namespace: string) => string | undefined;
  readonly onNamespaceRetained: (why: string) => void;
  readonly signal: AbortSignal;
}

const parallelLists = 8;
const maxKinds = 5;
const tokenOf = 'kubernetes.io/service-account.name';

const isOneOf =
  (...names: readonly string[]) =>
  ({ metadata }: KubeObject): boolean =>
    names.includes(metadata.name ?? '');
const always = (): boolean => true;
const isOwnAccount = isOneOf('default', 'builder', 'deployer');

/** What the cluster creates in a namespace, or what workloads leave there: kind → which. */
const comesByItself: Readonly<Record<string, (object: KubeObject) => boolean>> = {
  ServiceAccount: isOwnAccount,
  Secret: ({ metadata }) => ['default', 'builder', 'deployer'].includes(metadata.annotations?.[tokenOf] ?? ''),
  ConfigMap: isOneOf('kube-root-ca.crt', 'openshift-service-ca.crt'),
  RoleBinding: isOneOf('system:deployers', 'system:image-builders', 'system:image-pullers'),
  Event: always,
  Lease: always,
  Endpoints: always,
  EndpointSlice: always,
  PodMetrics: always,
  // Those of catalogs that are visible in all namespaces are listed in each.
  PackageManifest: always,
  // Operators of all namespaces have a copy in each.
  ClusterServiceVersion: ({ metadata }) => metadata.labels?.[olmLabels.copiedFrom] !== undefined,
};

/** cert-manager leaves the Secrets of deleted Certificates; those with the name that ours have do not have an owner. */
function isOfDeletedCertificate({ kind, metadata }: KubeObject, objects: readonly KubeObject[]): boolean {
  const { name = '', annotations = {} } = metadata;
  if (kind !== 'Secret' || !name.endsWith('-service-cert')) return false;
  if (annotations['cert-manager.io/certificate-name'] !== name) return false;
  return !objects.some((other) => other.kind === 'Certificate' && other.metadata.name === name);
}

/** What a namespace contains. */
interface Contents {
  /** With their metadata alone; of a kind with very many the first part. */
  readonly objects: readonly KubeObject[];
  /** Kinds that have more objects, any of which may belong to others. */
  readonly partial: readonly string[];
}

async function contentsOf(kube: KubeClient, namespace: string, signal: AbortSignal): Promise<Contents> {
  const kinds = await kube.namespacedKinds({ signal });
  const lists = await mapLimit(kinds, parallelLists, async ({ apiVersion, kind }): Promise<Contents> => {
    const target = { apiVersion, kind, namespace, isMetadataOnly: true };
    let objects: readonly KubeObject[] | undefined;
    try {
      for await (const { items } of kube.listPages(target, { signal })) {
        if (objects !== undefined)
          return { objects, partial: items.length > 0 && comesByItself[kind] !== always ? [kind] : [] };
        objects = items;
      }
    } catch (thrown) {
      // Its kind was deleted since it was discovered.
      if (!isNotFound(thrown) && !(thrown instanceof NoKindMatch)) throw thrown;
    }
    return { objects: objects ?? [], partial: [] };
  });
  return { objects: lists.flatMap(({ objects }) => objects), partial: lists.flatMap(({ partial }) => partial) };
}

/** Listed as the account of the deployment where the controllers themselves may not. */
async function listedContents(
  kube: KubeClient,
  namespace: string,
  { owner, signal }: Pick<Leaving, 'owner' | 'signal'>,
): Promise<Contents> {
  try {
    return await contentsOf(kube, namespace, signal);
  } catch (thrown) {
    if (owner.account === undefined || !isForbidden(thrown)) throw thrown;
    return await contentsOf(clientFor(kube, owner), namespace, signal);
  }
}

/** What the garbage collector deletes: objects whose owners are all deleted or about to be. */
class Leavings {
  readonly #byUid: ReadonlyMap<string, KubeObject>;
  readonly #owner: Owner;
  readonly #isClusterKind: (reference: OwnerReference) => boolean;

  constructor(objects: readonly KubeObject[], owner: Owner, isClusterKind: (reference: OwnerReference) => boolean) {
    this.#byUid = new Map(objects.map((object) => [object.metadata.uid ?? '', object]));
    this.#owner = owner;
    this.#isClusterKind = isClusterKind;
  }

  isBeingDeleted(object: KubeObject, seen: ReadonlySet<string> = new Set()): boolean {
    const { uid = '', deletionTimestamp, ownerReferences = [] } = object.metadata;
    if (deletionTimestamp !== undefined) return true;
    if (seen.has(uid) || ownerReferences.length === 0) return false;
    const further = new Set([...seen, uid]);
    return ownerReferences.every((reference) => {
      if (this.#isClusterKind(reference)) return reference.uid === this.#owner.uid;
      const owner = this.#byUid.get(reference.uid);
      return owner === undefined || this.isBeingDeleted(owner, further);
    });
  }
}

async function clusterKinds(
  kube: KubeClient,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<(reference: OwnerReference) => boolean> {
  const key = ({ apiVersion, kind }: OwnerReference): string => `${apiVersion}/${kind}`;
  const found = new Map(
    objects.flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map((one) => [key(one), one] as const)),
  );
  const names = await mapLimit([...found.values()], parallelLists, async (reference) => {
    try {
      const { isNamespaced } = await kube.resolve(reference.apiVersion, reference.kind, { signal });
      return isNamespaced ? [] : [key(reference)];
    } catch (thrown) {
      // Its kind does not exist any more, so the owner does not either.
      if (thrown instanceof NoKindMatch) return [];
      throw thrown;
    }
  });
  const cluster = new Set(names.flat());
  return (reference) => cluster.has(key(reference));
}

/** By kind alone: users who may read the Event need not be allowed to read the objects, whose names are of others. */
function counted(objects: readonly KubeObject[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, maxKinds);
  const more = counts.size > maxKinds ? ' and other kinds' : '';
  return `${kinds.map(([kind, count]) => `${kind} (${count})`).join(', ')}${more}`;
}

/** It may stay so: an API server that is aggregated, or a conversion webhook, does not answer, or answers with an error. Where it is the API server itself,
 *  the namespace cannot be released either, and is examined again. */
function isUnlistable(thrown: unknown): boolean {
  return isKubeError(thrown) && [0, 403, 500, 503, 504].includes(thrown.failure.status);
}

/** Why the namespace must be retained; undefined when it is empty except for what every namespace has, and what is being deleted. */
async function whyKeep(
  kube: KubeClient,
  namespace: string,
  leaving: Omit<Leaving, 'onNamespaceRetained'>,
): Promise<string | undefined> {
  const other = leaving.othersIn(namespace);
  if (other !== undefined) return `${bundleDeploymentResource.kind} "${other}" has objects in it`;
  try {
    const { objects, partial } = await listedContents(kube, namespace, leaving);
    // A user who may create objects there could hide those of others behind them.
    if (partial.length > 0) return `it has too many objects to examine (${partial.join(', ')})`;
    const leavings = new Leavings(objects, leaving.owner, await clusterKinds(kube, objects, leaving.signal));
    const foreign = objects.filter(
      (object) =>
        comesByItself[object.kind]?.(object) !== true &&
        !leavings.isBeingDeleted(object) &&
        !isOfDeletedCertificate(object, objects),
    );
    return foreign.length === 0 ? undefined : `${counted(foreign)} in it are not from the bundle or must be retained`;
  } catch (thrown) {
    if (leaving.signal.aborted || !isUnlistable(thrown)) throw thrown;
    return `its contents cannot be listed (${errorMessage(thrown)})`;
  }
}

function adviceFor(name: string): string {
  return `When it is no longer needed: kubectl delete namespace ${name}`;
}

async function readMade(kube: KubeClient, name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    const namespace = await kube.get({ apiVersion: 'v1', kind: 'Namespace', name }, { signal });
    const { annotations, deletionTimestamp } = namespace.metadata;
    const isMade = annotations?.[namespaceMadeForAnnotation] !== undefined && deletionTimestamp === undefined;
    return isMade ? namespace : undefined;
  } catch (thrown) {
    if (isNotFound(thrown) || isForbidden(thrown)) return undefined;
    throw thrown;
  }
}

/** Why it could not be done. */
async function remove(
  kube: KubeClient,
  namespace: KubeObject,
  { owner, signal }: Leaving,
): Promise<string | undefined> {
  const { uid = '' } = namespace.metadata;
  try {
    await clientFor(kube, owner).delete(refOf(namespace), { uid, signal });
    return undefined;
  } catch (thrown) {
    if (isNotFound(thrown) || isConflict(thrown)) return undefined;
    if (isForbidden(thrown)) return errorMessage(thrown);
    throw thrown;
  }
}

/** Deletes those of the namespaces that were created for an installation and are empty except for what every namespace has; reports
 *  the others of that origin. Namespaces that were there before are not looked at. */
export async function leaveNamespaces(kube: KubeClient, names: readonly string[], leaving: Leaving): Promise<void> {
  const { signal } = leaving;
  for (const name of names) {
    const namespace = await readMade(kube, name, signal);
    if (namespace === undefined) continue;
    const ref = refOf(namespace);
    const why = (await whyKeep(kube, name, leaving)) ?? (await remove(kube, namespace, leaving));
    if (why === undefined) continue;
    leaving.onNamespaceRetained(
      `${describeRef(ref)}, which was created for the installation, is retained: ${why}. ${adviceFor(name)}`,
    );
  }
}

/** Why a Namespace that a bundle contains must be retained: what others have in it would be deleted with it. Undefined where there is nothing. */
export async function whyRetainNamespace(
  kube: KubeClient,
  ref: ObjectRef,
  leaving: Omit<Leaving, 'onNamespaceRetained'>,
): Promise<string | undefined> {
  const why = await whyKeep(kube, ref.name, leaving);
  return why && `${describeRef(ref)} is retained: ${why}. ${adviceFor(ref.name)}`;
}

/** Where objects were and are no more. */
export function vacatedBetween(before: Inventory | undefined, after: Inventory): readonly string[] {
  return before?.namespaces.filter((name) => !after.namespaces.includes(name)) ?? [];
}

/** The namespaces are retained without an owner. */
export async function disownNamespaces(
  kube: KubeClient,
  names: readonly string[],
  { owner, signal }: Pick<Leaving, 'owner' | 'signal'>,
): Promise<void> {
  for (const name of names) {
    const namespace = await readMade(kube, name, signal);
    if (namespace === undefined) continue;
    const patch = { metadata: { annotations: { [namespaceMadeForAnnotation]: null } } };
    await clientFor(kube, owner).patch(refOf(namespace), patch, { fieldManager, signal });
  }
}
