import { type PlatformOperator, parsePlatformOperator, platformOperatorResource } from '../../src/api/index.ts';
import { checkOwnerReferences } from '../review/check-owners.ts';
import type { ReviewRequest } from '../review/request.ts';
import { type AdmissionResult, allowed, mergeResults } from '../review/result.ts';
import type { ReviewContext, WebhookDefinition } from '../review/webhook-definition.ts';
import type { PlatformOperatorSubject } from './rules.ts';

function subjectOf({ metadata, spec }: PlatformOperator): PlatformOperatorSubject {
  return { name: metadata.name ?? '', packageName: spec.package.name };
}

async function check(request: ReviewRequest, context: ReviewContext): Promise<AdmissionResult> {
  const { facts, rules, signal } = context;
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return allowed;
  if (request.operation === 'UPDATE') {
    const before = subjectOf(parsePlatformOperator(request.oldObject));
    const after = subjectOf(parsePlatformOperator(request.object));
    return mergeResults([
      rules.evaluate('platform-operator-package-immutable', after, before),
      await checkOwnerReferences(request, context, platformOperatorResource),
    ]);
  }
  const operator = subjectOf(parsePlatformOperator(request.object));
  const others = await rules.read('platform-operator-unique', () => facts.listPlatformOperators({ signal }));
  return mergeResults([
    rules.evaluate('platform-operator-name', operator),
    rules.evaluate('platform-operator-package', operator),
    rules.evaluate('platform-operator-unique', operator, others.map(subjectOf)),
  ]);
}

export const platformOperatorWebhook: WebhookDefinition = {
  name: 'vplatformoperators.platform.openshift.io',
  path: '/validate-platform-openshift-io-v1alpha1-platformoperator',
  check,
  requests: {
    apiGroups: ['platform.openshift.io'],
    apiVersions: ['v1alpha1'],
    operations: ['CREATE', 'UPDATE'],
    resources: [platformOperatorResource.plural],
  },
  permissions: {
    cluster: [
      { apiGroups: ['platform.openshift.io'], resources: [platformOperatorResource.plural], verbs: ['list'] },
      // Whether a user may delete what the user adds an owner to.
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ],
  },
  configuration: 'rukpak-validating-webhook-configuration',
};
