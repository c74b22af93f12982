import { bundleDeploymentResource, ownerKindLabel, ownerNameLabel } from '../api/index.ts';
import { mapLimit } from '../base/index.ts';
import { type KubeClient, type KubeObject, NoKindMatch, type Resource, refOf } from '../kube/index.ts';
import { mayBeUnhealthy } from './health/index.ts';
import { type GroupKind, type Inventory, isWithin } from './inventory.ts';
import { installBatches } from './order.ts';
import { isInstalledFor } from './ownership.ts';

const parallelLists = 4;

interface Reading {
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
}

/** Undefined for a kind that is not served any more: it has no objects. */
async function served({ kube, signal }: Reading, { group, kind }: GroupKind): Promise<Resource | undefined> {
  try {
    return await kube.resolveInGroup(group, kind, { signal });
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return undefined;
    throw thrown;
  }
}

function placeOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** What is installed for the BundleDeployment `owner` at the places of `inventory`, in the order of installation, then by namespace and name. Objects that cannot be unhealthy come
 *  with their metadata alone. `onUnreadable` is called for a kind whose objects cannot be listed; the others are listed all the same.
 *  @throws what listing throws, without `onUnreadable` */
export async function listInstalled(
  reading: Reading & { readonly onUnreadable?: (kind: GroupKind, thrown: unknown) => void },
  owner: string,
  inventory: Inventory,
): Promise<readonly KubeObject[]> {
  const { kube, signal, onUnreadable } = reading;
  const labelSelector = `${ownerKindLabel}=${bundleDeploymentResource.kind},${ownerNameLabel}=${owner}`;
  const lists = await mapLimit(inventory.kinds, parallelLists, async (groupKind) => {
    try {
      const resource = await served(reading, groupKind);
      if (resource === undefined) return [];
      const { apiVersion, kind } = resource;
      const isMetadataOnly = !mayBeUnhealthy({ apiVersion, kind, name: '' });
      const { items } = await kube.list({ apiVersion, kind, labelSelector, isMetadataOnly }, { signal });
      return items.filter((item) => isInstalledFor(item.metadata, owner) && isWithin(inventory, refOf(item)));
    } catch (thrown) {
      if (onUnreadable === undefined || signal.aborted) throw thrown;
      onUnreadable(groupKind, thrown);
      return [];
    }
  });
  const sorted = lists.flat().sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  return installBatches(sorted).flat();
}
