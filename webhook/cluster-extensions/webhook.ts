import { clusterExtensionResource, type ServiceAccountName } from '../../src/api/index.ts';
import { isJsonEqual, type JsonObject, objectAt, textAt, valueAt } from '../../src/base/index.ts';
import { readAccountFacts } from '../bundle-deployments/account-facts.ts';
import type { AccountChange } from '../bundle-deployments/service-account.ts';
import { checkOwnerReferences } from '../review/check-owners.ts';
import type { ReviewRequest } from '../review/request.ts';
import { type AdmissionResult, allowed, mergeResults } from '../review/result.ts';
import type { ReviewContext, WebhookDefinition } from '../review/webhook-definition.ts';

function accountOf(extension: JsonObject | undefined): ServiceAccountName | undefined {
  const spec = objectAt(extension, 'spec');
  const name = textAt(objectAt(spec, 'serviceAccount') ?? {}, 'name');
  return name === '' ? undefined : { namespace: textAt(spec ?? {}, 'namespace'), name };
}

function changeOf({ object, oldObject, user }: ReviewRequest): AccountChange {
  const specOf = (extension: JsonObject | undefined) => valueAt(extension, 'spec') ?? null;
  return {
    username: textAt(user, 'username'),
    field: 'clusterextension.spec.serviceAccount',
    account: accountOf(object),
    oldAccount: accountOf(oldObject),
    isControlChanged: oldObject === undefined || !isJsonEqual(specOf(object), specOf(oldObject)),
    isOfOthers: false,
  };
}

/** A user who controls a ClusterExtension uses the permissions of its service account, as with a BundleDeployment. */
async function check(request: ReviewRequest, context: ReviewContext): Promise<AdmissionResult> {
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return allowed;
  const change = changeOf(request);
  const facts = await context.rules.read('service-account', () => readAccountFacts(request, change, context));
  return mergeResults([
    context.rules.evaluate('service-account', change, facts),
    await checkOwnerReferences(request, context, clusterExtensionResource),
  ]);
}

export const clusterExtensionWebhook: WebhookDefinition = {
  name: 'vclusterextensions.olm.operatorframework.io',
  path: '/validate-olm-operatorframework-io-v1-clusterextension',
  check,
  requests: {
    apiGroups: ['olm.operatorframework.io'],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: [clusterExtensionResource.plural],
  },
  permissions: {
    cluster: [{ apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] }],
  },
  configuration: 'rukpak-validating-webhook-configuration',
  isForCatalogs: true,
};
