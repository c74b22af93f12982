import { operatorGroupResource } from '../../api/index.ts';
import { isNotFound, type KubeClient, type NamespacedName } from '../../kube/index.ts';
import { deleteObject } from '../rbac-objects.ts';
import type { GroupContext } from './context.ts';
import { groupRoleNames, isRoleOfGroup } from './group-roles.ts';

async function exists(kube: KubeClient, name: NamespacedName, signal: AbortSignal): Promise<boolean> {
  try {
    await kube.get({ ...operatorGroupResource, ...name }, { signal });
    return true;
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return false;
  }
}

/** Deletes the ClusterRoles of a group that does not exist any more: those of its names that have its labels. The API server is asked first, so
 *  that a cache that lags behind deletes nothing. */
export async function removeRoles(context: GroupContext, group: NamespacedName, signal: AbortSignal): Promise<void> {
  const { kube, clusterRoles } = context;
  const roles = groupRoleNames(group).flatMap((name) => clusterRoles.get(name) ?? []);
  const own = roles.filter((role) => isRoleOfGroup(role, group));
  if (own.length === 0 || (await exists(kube, group, signal))) return;
  for (const role of own) await deleteObject(kube, role, signal);
}
