import { clusterCatalogResource } from '../../src/api/index.ts';
import type { WebhookDefinition } from '../review/webhook-definition.ts';

export const catalogWebhook: WebhookDefinition = {
  name: 'mclustercatalogs.olm.operatorframework.io',
  path: '/mutate-olm-operatorframework-io-v1-clustercatalog',
  check: ({ object = {} }, { rules }) => Promise.resolve(rules.evaluate('catalog-name-label', object)),
  requests: {
    apiGroups: ['olm.operatorframework.io'],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: [clusterCatalogResource.plural],
  },
  isMutating: true,
  isForCatalogs: true,
  permissions: {},
  configuration: 'longshore-mutating-webhook-configuration',
};
