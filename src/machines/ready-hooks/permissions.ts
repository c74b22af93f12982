import type { Permissions } from '../../controller/index.ts';

/** What the hooks that come with the program need beside the permissions of the controllers of machines. */
export const readyHookPermissions: Permissions = {
  cluster: [{ apiGroups: ['storage.k8s.io'], resources: ['volumeattachments'], verbs: ['list'] }],
};
