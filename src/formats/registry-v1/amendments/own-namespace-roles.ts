import { generateRoles } from '../generate-rbac.ts';
import { isEverywhere } from '../targets.ts';
import type { Amendment } from './amendment.ts';

/** An operator that watches other namespaces has its roles in its own as well. */
export const ownNamespaceRoles: Amendment = {
  name: 'own-namespace-roles',
  reason: 'Operators keep leases and ConfigMaps where they run; without these roles leader election is forbidden.',
  amend: (objects, rendering) => {
    const { targets, installNamespace } = rendering;
    if (isEverywhere(targets) || targets.includes(installNamespace)) return objects;
    const added = generateRoles({ ...rendering, targets: [installNamespace] });
    const last = objects.findLastIndex(({ kind }) => kind === 'RoleBinding' || kind === 'ServiceAccount');
    return [...objects.slice(0, last + 1), ...added, ...objects.slice(last + 1)];
  },
};
