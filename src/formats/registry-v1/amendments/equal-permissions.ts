import { type Amendment, identityOf } from './amendment.ts';

const kinds = new Set(['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding']);

/** Permissions that are written twice make one role. */
export const equalPermissions: Amendment = {
  name: 'equal-permissions',
  reason: 'The name of a role follows from its content, so that a repeated permission makes the same object twice.',
  amend: (objects) => {
    const seen = new Map<string, string>();
    return objects.filter((object) => {
      if (!kinds.has(object.kind)) return true;
      const identity = identityOf(object);
      const text = JSON.stringify(object);
      if (seen.get(identity) === text) return false;
      seen.set(identity, text);
      return true;
    });
  },
};
