import type { Permissions } from '../../src/controller/index.ts';
import type { PolicyRule } from '../../src/rbac/index.ts';
import { webhooks } from '../webhooks.ts';

/** It keeps its own configurations up to date, with the authority to trust. It may not create others: these could read everything. */
function configurationRule(isMutating: boolean): PolicyRule {
  const own = webhooks.filter((webhook) => (webhook.isMutating ?? false) === isMutating);
  return {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: [isMutating ? 'mutatingwebhookconfigurations' : 'validatingwebhookconfigurations'],
    resourceNames: [...new Set(own.map(({ configuration }) => configuration))],
    verbs: ['get', 'patch'],
  };
}

/** What the webhooks need, and the server itself: registration, and the permission to read its metrics. */
export function webhookPermissions(): readonly Permissions[] {
  const server: Permissions = {
    cluster: [
      configurationRule(false),
      configurationRule(true),
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    ],
  };
  return [...webhooks.map(({ permissions }) => permissions), server];
}
