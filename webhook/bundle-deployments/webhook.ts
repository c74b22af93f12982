import {
  bundleDeploymentResource,
  clusterExtensionResource,
  parseBundleDeployment,
  platformOperatorResource,
} from '../../src/api/index.ts';
import { isJsonEqual, objectAt, textAt, valueAt } from '../../src/base/index.ts';
import { checkOwnerReferences } from '../review/check-owners.ts';
import { checkPresentOwners } from '../review/check-present-owners.ts';
import type { ReviewRequest } from '../review/request.ts';
import { type AdmissionResult, allowed, mergeResults } from '../review/result.ts';
import type { ReviewContext, WebhookDefinition } from '../review/webhook-definition.ts';
import { checkSource, sourcePermissions } from '../sources/check.ts';
import { accountChangeOf, readAccountFacts } from './account-facts.ts';
import { checkRemoval, checkTemplate } from './dependency-check.ts';
import { deletionOf } from './foreground-deletion.ts';

const owned = {
  owners: [clusterExtensionResource, platformOperatorResource],
  loss: 'the BundleDeployment, with everything that it has installed',
};

async function checkAccount(request: ReviewRequest, context: ReviewContext): Promise<AdmissionResult> {
  const change = accountChangeOf(request);
  const facts = await context.rules.read('service-account', () => readAccountFacts(request, change, context));
  return context.rules.evaluate('service-account', change, facts);
}

/** An unchanged template or configuration is not validated again. */
async function checkWrite(request: ReviewRequest, context: ReviewContext): Promise<AdmissionResult> {
  const { rules, foreignClasses } = context;
  const deployment = parseBundleDeployment(request.object);
  const { metadata, spec } = deployment;
  const { template, config } = spec;
  const oldSpec = objectAt(request.oldObject, 'spec');
  const oldClass = valueAt(objectAt(oldSpec, 'template', 'spec'), 'provisionerClassName');
  const { provisionerClassName } = template.spec;
  const classes = [
    {
      field: 'spec.provisionerClassName',
      before: valueAt(oldSpec, 'provisionerClassName'),
      after: spec.provisionerClassName,
    },
    { field: 'spec.template.spec.provisionerClassName', before: oldClass, after: provisionerClassName },
  ];
  const isSameTemplate = isJsonEqual(
    valueAt(objectAt(request.object, 'spec'), 'template'),
    valueAt(oldSpec, 'template'),
  );
  const ofTemplate = async (): Promise<AdmissionResult[]> => [
    rules.evaluate('source-union', template.spec.source),
    await checkSource(template.spec, context),
    rules.evaluate('bundle-annotations', { after: template }),
  ];
  return mergeResults([
    rules.evaluate('provisioner-class', classes, foreignClasses),
    ...(isSameTemplate ? [] : await ofTemplate()),
    rules.evaluate('deployment-config', {
      provisionerClassName,
      config,
      oldClass,
      oldConfig: valueAt(oldSpec, 'config'),
    }),
    await checkAccount(request, context),
    await checkOwnerReferences(request, context, bundleDeploymentResource),
    await checkPresentOwners(request, context, owned),
    isSameTemplate ? allowed : await checkTemplate(deployment, context),
    rules.evaluate('crd-safety-annotations', metadata.annotations),
  ]);
}

async function check(request: ReviewRequest, context: ReviewContext): Promise<AdmissionResult> {
  if (request.operation === 'CONNECT') return allowed;
  if (request.operation !== 'DELETE') return await checkWrite(request, context);
  if (request.oldObject === undefined) return allowed;
  const deployment = parseBundleDeployment(request.oldObject);
  return mergeResults([
    context.rules.evaluate('foreground-deletion', deletionOf(deployment, request)),
    await checkRemoval(deployment, context, textAt(request.user, 'username')),
  ]);
}

export const bundleDeploymentWebhook: WebhookDefinition = {
  name: 'vbundledeployments.core.rukpak.io',
  path: '/validate-core-rukpak-io-v1alpha1-bundledeployment',
  check,
  requests: {
    apiGroups: ['core.rukpak.io'],
    apiVersions: ['v1alpha1'],
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    resources: [bundleDeploymentResource.plural],
  },
  permissions: {
    ...sourcePermissions,
    cluster: [
      // Dependencies of what is installed; whether any Bundle has dependencies is watched.
      { apiGroups: ['core.rukpak.io'], resources: ['bundles'], verbs: ['list', 'watch'] },
      { apiGroups: ['core.rukpak.io'], resources: ['bundledeployments'], verbs: ['list'] },
      // Whether an owner exists.
      { apiGroups: ['olm.operatorframework.io'], resources: ['clusterextensions'], verbs: ['get'] },
      { apiGroups: ['platform.openshift.io'], resources: ['platformoperators'], verbs: ['get'] },
      // Whether a user may impersonate the service account that a BundleDeployment names.
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ],
  },
  configuration: 'rukpak-validating-webhook-configuration',
};
