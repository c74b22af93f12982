import { bundleDeploymentResource, bundleResource, group, parseBundle } from '../../src/api/index.ts';
import { type JsonObject, objectAt } from '../../src/base/index.ts';
import { checkOwnerReferences } from '../review/check-owners.ts';
import { checkPresentOwners } from '../review/check-present-owners.ts';
import type { ReviewRequest } from '../review/request.ts';
import { type AdmissionResult, allowed, mergeResults } from '../review/result.ts';
import type { ReviewContext, WebhookDefinition } from '../review/webhook-definition.ts';
import { checkSource, sourcePermissions } from '../sources/check.ts';
import { addedDeployments } from './deployment-owners.ts';
import { changedWrittenAnnotations } from './written-annotations.ts';

const owned = {
  owners: [bundleDeploymentResource],
  loss: 'the Bundle, with its content, which exists nowhere else if it was uploaded',
};

/** What controllers write. The permission is asked for by the few updates alone that change some of it. */
async function checkWrittenMetadata(
  { object, oldObject, user }: ReviewRequest,
  { rules, facts, signal }: ReviewContext,
): Promise<AdmissionResult> {
  const changed = changedWrittenAnnotations(oldObject, object);
  const owners = addedDeployments(oldObject, object);
  const attributes = { verb: 'update', group, resource: bundleDeploymentResource.plural, subresource: 'status' };
  const isUnchanged = changed.length === 0 && owners.length === 0;
  const mayWriteRecords = isUnchanged || (await facts.mayDo(user, attributes, { signal }));
  return mergeResults([
    rules.evaluate('written-annotations', changed, mayWriteRecords),
    rules.evaluate('deployment-owners', owners, mayWriteRecords),
  ]);
}

/** An update concerns immutability, annotations and owners alone: a source that passed once stays, and finalizers and status can always be written. */
async function checkUpdate(request: ReviewRequest, context: ReviewContext): Promise<AdmissionResult> {
  const { object, oldObject } = request;
  const { rules } = context;
  const [before, after] = [parseBundle(oldObject), parseBundle(object)];
  const specOf = (value: JsonObject | undefined): JsonObject => objectAt(value, 'spec') ?? {};
  return mergeResults([
    rules.evaluate('spec-immutable', specOf(oldObject), specOf(object)),
    rules.evaluate('bundle-annotations', { before, after }),
    await checkWrittenMetadata(request, context),
    await checkOwnerReferences(request, context, bundleResource),
    await checkPresentOwners(request, context, owned),
  ]);
}

async function check(request: ReviewRequest, context: ReviewContext): Promise<AdmissionResult> {
  if (request.operation === 'UPDATE') return await checkUpdate(request, context);
  if (request.operation !== 'CREATE') return allowed;
  const { rules, foreignClasses } = context;
  const bundle = parseBundle(request.object);
  const field = 'spec.provisionerClassName';
  return mergeResults([
    rules.evaluate('provisioner-class', [{ field, after: bundle.spec.provisionerClassName }], foreignClasses),
    await checkSource(bundle.spec, context),
    rules.evaluate('bundle-annotations', { after: bundle }),
  ]);
}

export const bundleWebhook: WebhookDefinition = {
  name: 'vbundles.core.rukpak.io',
  path: '/validate-core-rukpak-io-v1alpha1-bundle',
  check,
  requests: {
    apiGroups: ['core.rukpak.io'],
    apiVersions: ['v1alpha1'],
    operations: ['CREATE', 'UPDATE'],
    resources: [bundleResource.plural],
  },
  permissions: {
    ...sourcePermissions,
    // Whether a user may write what controllers do, and delete what the user adds an owner to.
    cluster: [
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
      // Whether an owner exists.
      { apiGroups: ['core.rukpak.io'], resources: ['bundledeployments'], verbs: ['get'] },
    ],
  },
  configuration: 'rukpak-validating-webhook-configuration',
};
