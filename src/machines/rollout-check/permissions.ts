import type { PolicyRule } from '../../rbac/index.ts';

/** What controllers need to run Jobs as checks. */
export const checkPermissions: readonly PolicyRule[] = [
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['get'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'create'] },
];
