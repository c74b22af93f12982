import { setTimeout as pause } from 'node:timers/promises';
import {
  bundleDeploymentResource,
  bundleResource,
  clusterCatalogResource,
  orphanAnnotation,
  platformOperatorResource,
  type Resource,
} from '../../src/api/index.ts';
import { installBatches } from '../../src/apply/index.ts';
import { type JsonObject, objectAt, objectsAt, TerminalError, textAt } from '../../src/base/index.ts';
import { describeRef, isNotFound, type KubeClient, type KubeObject, NoKindMatch, refOf } from '../../src/kube/index.ts';
import type { Progress } from '../progress.ts';
import { isOurs } from './installed.ts';
import { overlays, readManifests } from './manifests.ts';
import { crdNameOf, sharedKinds } from './others-kinds.ts';
import { shardsAbove } from './shards.ts';

const pollMs = 300;
const shownNames = 20;
/** What the processes write themselves. */
const ownSecrets = ['core-cert', 'rukpak-ca', 'rukpak-webhook-certificate', 'rukpak-authority'];
/** What a cluster puts into every namespace. */
const clusterOwn =
  /^(kube-root-ca\.crt|openshift-service-ca\.crt|default-token-.+|(default|builder|deployer)-dockercfg-.+)$/;
/** Of kinds that somebody would miss. */
const missedKinds: readonly { readonly apiVersion: string; readonly kind: string }[] = [
  ...['Secret', 'ConfigMap', 'Service', 'PersistentVolumeClaim'].map((kind) => ({ apiVersion: 'v1', kind })),
  ...['Deployment', 'StatefulSet', 'DaemonSet'].map((kind) => ({ apiVersion: 'apps/v1', kind })),
  ...['Job', 'CronJob'].map((kind) => ({ apiVersion: 'batch/v1', kind })),
];

export interface RemovalOptions {
  readonly kube: KubeClient;
  /** Of each thing that is waited for. */
  readonly timeoutMs: number;
  readonly progress: Progress;
  readonly onRemoved: (object: KubeObject) => void;
}

async function listIfServed(
  kube: KubeClient,
  target: { readonly apiVersion: string; readonly kind: string; readonly namespace?: string },
): Promise<readonly KubeObject[]> {
  try {
    return (await kube.list(target)).items;
  } catch (thrown) {
    if (thrown instanceof NoKindMatch || isNotFound(thrown)) return [];
    throw thrown;
  }
}

function namesOf(objects: readonly KubeObject[]): string {
  const names = objects.slice(0, shownNames).map(({ metadata }) => metadata.name ?? '');
  const rest = objects.length - names.length;
  return rest > 0 ? `${names.join(', ')} and ${rest} more` : names.join(', ');
}

/** Those of `sharedKinds` that we have brought. */
async function ourSharedKinds(kube: KubeClient): Promise<readonly Resource[]> {
  const found: Resource[] = [];
  for (const resource of sharedKinds) {
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: crdNameOf(resource) };
    try {
      if (isOurs(await kube.get(ref))) found.push(resource);
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
  return found;
}

/** @throws TerminalError ContentLeft, naming what is there */
async function assertNoContent(kube: KubeClient, shared: readonly Resource[]): Promise<void> {
  const deployments = await listIfServed(kube, bundleDeploymentResource);
  const bundles = await listIfServed(kube, bundleResource);
  const alone = bundles.filter(({ metadata }) => metadata.ownerReferences === undefined);
  const lists = [deployments, alone];
  for (const target of shared) lists.push(await listIfServed(kube, target));
  const found = lists.flatMap((objects) =>
    objects[0] === undefined ? [] : [`${objects[0].kind}s: ${namesOf(objects)}`],
  );
  if (found.length === 0) return;
  const text = `there are ${found.join('; ')}. Remove them, or let --with-content remove them with everything that they have installed; what a BundleDeployment has installed stays when it bears the annotation ${orphanAnnotation}: "true". Nothing was changed`;
  throw new TerminalError('ContentLeft', text);
}

function stillThere(left: readonly KubeObject[], timeoutMs: number): TerminalError {
  const finalizers = left[0]?.metadata.finalizers?.join(', ') ?? 'none';
  const conditions = objectsAt(objectAt(left[0] as unknown as JsonObject, 'status'), 'conditions');
  const removing = conditions.find(({ type, status }) => type === 'Removing' && status === 'True');
  const said = removing === undefined ? '' : `; it says: ${textAt(removing, 'message')}`;
  const text = `${left[0]?.kind}s are still there after ${timeoutMs / 1000} s: ${namesOf(left)} (finalizers of the first: ${finalizers}${said}). The controllers remove them: does the Deployment core run, and what does "kubectl describe" of the object say? Call this again then`;
  return new TerminalError('StillThere', text);
}

/** @throws TerminalError StillThere, saying what holds it up */
async function removeAll(
  target: { readonly apiVersion: string; readonly kind: string },
  { kube, timeoutMs, progress, onRemoved }: RemovalOptions,
): Promise<void> {
  const untilMs = performance.now() + timeoutMs;
  let left = await listIfServed(kube, target);
  const all = left;
  while (left.length > 0) {
    for (const object of left.filter(({ metadata }) => metadata.deletionTimestamp === undefined)) {
      await deleteOne(kube, object);
    }
    progress.show(`waiting until ${target.kind}s are gone: ${namesOf(left)}`);
    await pause(pollMs);
    left = await listIfServed(kube, target);
    if (left.length > 0 && performance.now() > untilMs) throw stillThere(left, timeoutMs);
  }
  for (const object of all) onRemoved(object);
}

/** Not what somebody else has under a name of ours. */
async function deleteIfOurs(kube: KubeClient, object: KubeObject): Promise<boolean> {
  try {
    return isOurs(await kube.get(refOf(object))) && (await deleteOne(kube, object));
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return false;
    throw thrown;
  }
}

async function deleteOne(kube: KubeClient, object: KubeObject): Promise<boolean> {
  try {
    await kube.delete(refOf(object));
    return true;
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return false;
    throw thrown;
  }
}

/** Everything that any overlay brings, the last to install first. */
async function shippedInReverse(): Promise<KubeObject[]> {
  const shipped = new Map<string, KubeObject>();
  for (const overlay of overlays) {
    for (const object of (await readManifests(overlay)) as unknown as KubeObject[]) {
      shipped.set(describeRef(refOf(object)), object);
    }
  }
  return installBatches([...shipped.values()])
    .flat()
    .toReversed();
}

/** What somebody else keeps in the namespace. */
async function othersIn(kube: KubeClient, namespace: string): Promise<string[]> {
  const found: string[] = [];
  for (const target of missedKinds) {
    const items = await listIfServed(kube, { ...target, namespace });
    const others = items.filter(({ metadata: { name = '', labels, ownerReferences } }) => {
      const isOwn = labels?.['app.kubernetes.io/part-of'] === 'longshore' || ownSecrets.includes(name);
      return !isOwn && !clusterOwn.test(name) && ownerReferences === undefined;
    });
    found.push(...others.map(({ metadata }) => `${target.kind} ${metadata.name ?? ''}`));
  }
  return found;
}

/** The namespace with what the processes have written into it, unless somebody else keeps things there; gives those. */
async function removeNamespace(namespace: KubeObject, { kube, onRemoved }: RemovalOptions): Promise<readonly string[]> {
  const { name = '' } = namespace.metadata;
  const secrets = ownSecrets.map((secret) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secret, namespace: name },
  }));
  for (const secret of secrets) if (await deleteOne(kube, secret)) onRemoved(secret);
  const others = await othersIn(kube, name);
  if (others.length === 0 && (await deleteOne(kube, namespace))) onRemoved(namespace);
  return others;
}

/** Removes what `install` has brought: webhooks first, so that nothing waits for them, CustomResourceDefinitions last; kinds
 *  that others have brought stay. The namespace stays where somebody
 *  else keeps things in it; what they are is the result. Content has to be gone before, unless `isWithContent`.
 *  @throws TerminalError ContentLeft, StillThere */
export async function removeInstallation(
  options: RemovalOptions & { readonly isWithContent: boolean },
): Promise<readonly string[]> {
  const { kube, onRemoved, progress } = options;
  const shared = await ourSharedKinds(kube);
  if (options.isWithContent) {
    if (shared.includes(platformOperatorResource)) await removeAll(platformOperatorResource, options);
    await removeAll(bundleDeploymentResource, options);
  } else await assertNoContent(kube, shared);
  await removeAll(bundleResource, options);
  if (shared.includes(clusterCatalogResource)) await removeAll(clusterCatalogResource, options);
  progress.clear();
  const objects = [...(await shippedInReverse()), ...(await shardsAbove(1, kube))];
  const isOf = (kind: string): readonly KubeObject[] => objects.filter((object) => object.kind === kind);
  const [namespaces, crds] = [isOf('Namespace'), isOf('CustomResourceDefinition')];
  for (const object of objects.filter((candidate) => ![...namespaces, ...crds].includes(candidate))) {
    if (await deleteIfOurs(kube, object)) onRemoved(object);
  }
  const others: string[] = [];
  for (const namespace of namespaces) others.push(...(await removeNamespace(namespace, options)));
  const kept = new Set(sharedKinds.filter((resource) => !shared.includes(resource)).map(crdNameOf));
  const ourCrds = crds.filter(({ metadata }) => !kept.has(metadata.name ?? ''));
  for (const crd of ourCrds) if (await deleteOne(kube, crd)) onRemoved(crd);
  return others;
}
