import {
  bundleDeploymentResource,
  bundleResource,
  clusterCatalogResource,
  clusterExtensionResource,
  machineResource,
  orphanAnnotation,
  ownSecretNames,
  platformOperatorResource,
  type Resource,
} from '../../src/api/index.ts';
import { installBatches } from '../../src/apply/index.ts';
import { TerminalError } from '../../src/base/index.ts';
import { describeRef, isNotFound, type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import { type DeletionOptions, deleteAll, deleteOne, listIfServed, namesOf, untilDeleted } from './deletion.ts';
import { isOurs } from './installed.ts';
import { actuatorOf, machineServerObjects } from './machines.ts';
import { formerObjects, readManifests } from './manifests.ts';
import { olmServerObjects } from './olm.ts';
import { removeOlm, removeOperators } from './olm-removal.ts';
import { othersIn } from './others-in.ts';
import { crdNameOf, sharedKinds } from './others-kinds.ts';
import { overlays } from './overlays.ts';
import { shardsAbove } from './shards.ts';

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
  const text = `there are ${found.join('; ')}. Remove them, or set --with-content to delete them with everything that they installed; the objects of a BundleDeployment are retained if it has the annotation ${orphanAnnotation}: "true". Nothing was changed`;
  throw new TerminalError('ContentLeft', text);
}

/** Without the controllers, instances would stay, and Machines with their finalizers.
 *  @throws TerminalError MachinesLeft */
async function assertNoMachines(kube: KubeClient): Promise<void> {
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'rukpak-system' };
  const cores = (await kube.list({ ...target, fieldSelector: 'metadata.name=core' })).items;
  if (!cores.some((core) => actuatorOf(core) !== undefined)) return;
  const machines = await listIfServed(kube, machineResource);
  if (machines.length === 0) return;
  const text = `there are Machines: ${namesOf(machines)}. Their instances would stay, and their deletion would never end. Scale their MachineSets to 0, and delete the others. Nothing was changed`;
  throw new TerminalError('MachinesLeft', text);
}

/** Everything that any overlay brings, the last to install first. */
async function shippedInReverse(): Promise<KubeObject[]> {
  const shipped = new Map<string, KubeObject>();
  for (const overlay of overlays) {
    for (const object of (await readManifests(overlay)) as unknown as KubeObject[]) {
      shipped.set(describeRef(refOf(object)), object);
    }
  }
  for (const object of [...(await olmServerObjects()), ...(await machineServerObjects())])
    shipped.set(describeRef(refOf(object)), object);
  return installBatches([...shipped.values()])
    .flat()
    .toReversed();
}

/** The namespace with what the processes have written into it, unless it has objects of other owners; returns those. */
async function removeNamespace(namespace: KubeObject, options: DeletionOptions): Promise<readonly string[]> {
  const { name = '' } = namespace.metadata;
  const secrets = ownSecretNames.map((secret) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secret, namespace: name },
  }));
  for (const secret of secrets) await deleteOne(secret, options, { isOursOnly: false });
  const others = await othersIn(options.kube, name);
  if (others.length === 0) await deleteOne(namespace, options, { isOursOnly: false });
  return others;
}

/** What an uninstallation leaves. */
export interface Stayed {
  /** Objects of other owners in the namespace, which stays then. */
  readonly others: readonly string[];
  /** A line for each kind, or each namespace, of Operator Lifecycle Manager that has objects. */
  readonly kinds: readonly string[];
}

/** Removes what `install` has brought, webhooks first, so that no request waits for them, CustomResourceDefinitions last, and waits until all of it
 *  is deleted; kinds of other programs stay. The namespace stays where it has objects of others, and kinds of Operator Lifecycle Manager where they have objects,
 *  unless `isWithOperators`. Content must not exist, unless `isWithContent`.
 *  @throws TerminalError ContentLeft, StillThere */
export async function removeInstallation(
  given: DeletionOptions & { readonly isWithContent: boolean; readonly isWithOperators: boolean },
): Promise<Stayed> {
  const removed: KubeObject[] = [];
  const options: typeof given = {
    ...given,
    onRemoved: (object) => {
      removed.push(object);
      given.onRemoved(object);
    },
  };
  const { kube, progress } = options;
  await assertNoMachines(kube);
  const shared = await ourSharedKinds(kube);
  if (options.isWithContent) {
    for (const resource of [platformOperatorResource, clusterExtensionResource]) {
      if (shared.includes(resource)) await deleteAll(resource, options);
    }
    await deleteAll(bundleDeploymentResource, options);
  } else await assertNoContent(kube, shared);
  if (options.isWithOperators) await removeOperators(options);
  await deleteAll(bundleResource, options);
  if (shared.includes(clusterCatalogResource)) await deleteAll(clusterCatalogResource, options);
  progress.clear();
  const others = await removeShipped(shared, options);
  const kinds = await removeOlm(options, options.isWithOperators);
  if (!options.isDryRun) await untilDeleted(removed, options);
  progress.clear();
  return { others, kinds };
}

async function removeShipped(shared: readonly Resource[], options: DeletionOptions): Promise<readonly string[]> {
  const former = formerObjects().map(({ object }) => object);
  const objects = [...former, ...(await shippedInReverse()), ...(await shardsAbove(1, options.kube))];
  const isOf = (kind: string): readonly KubeObject[] => objects.filter((object) => object.kind === kind);
  const [namespaces, crds] = [isOf('Namespace'), isOf('CustomResourceDefinition')];
  for (const object of objects.filter((candidate) => ![...namespaces, ...crds].includes(candidate))) {
    await deleteOne(object, options, { isOursOnly: true });
  }
  const others: string[] = [];
  for (const namespace of namespaces) others.push(...(await removeNamespace(namespace, options)));
  const foreign = new Set(sharedKinds.filter((resource) => !shared.includes(resource)).map(crdNameOf));
  const ourCrds = crds.filter(({ metadata }) => !foreign.has(metadata.name ?? ''));
  for (const crd of ourCrds) await deleteOne(crd, options, { isOursOnly: false });
  return others;
}
