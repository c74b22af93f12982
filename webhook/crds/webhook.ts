import { bundleDeploymentResource, installFieldManager, ownerKindLabel } from '../../src/api/index.ts';
import { type JsonObject, objectAt } from '../../src/base/index.ts';
import { checkCrdChange, readSwitches } from '../../src/crd-safety/index.ts';
import type { ReviewRequest } from '../review/request.ts';
import { type AdmissionResult, allowed, mergeResults } from '../review/result.ts';
import type { ReviewContext, WebhookDefinition } from '../review/webhook-definition.ts';

/** Shorter than the API server's timeout, so that findings are reported in time. */
const readDeadlineMs = 7_000;

function annotationsOf(crd: JsonObject): Record<string, string> {
  const entries = Object.entries(objectAt(crd, 'metadata', 'annotations') ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** The provisioners have validated what they apply, with the checks that their BundleDeployment ignores. */
async function check(request: ReviewRequest, { facts, rules, signal }: ReviewContext): Promise<AdmissionResult> {
  const { operation, object: after = {}, oldObject: before } = request;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return allowed;
  const annotations = annotationsOf(after);
  const ofAnnotations = rules.evaluate('crd-safety-annotations', annotations);
  if (before === undefined || request.fieldManager === installFieldManager) return ofAnnotations;
  const options = { switches: readSwitches(annotations), read: facts.readObjects, deadlineMs: readDeadlineMs, signal };
  const findings = await rules.read('crd-upgrade', () => checkCrdChange({ before, after }, options));
  return mergeResults([ofAnnotations, rules.evaluate('crd-upgrade', { operation, before, after }, findings)]);
}

export const crdWebhook: WebhookDefinition = {
  name: 'webhook.crdvalidator.io',
  path: '/validate-crd',
  check,
  requests: {
    apiGroups: ['apiextensions.k8s.io'],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['customresourcedefinitions'],
    scope: '*',
  },
  // Objects of custom kinds are read with the permissions of the components any-content and service-accounts.
  permissions: {},
  configuration: 'crd-validation-webhook',
  objectLabels: { [ownerKindLabel]: bundleDeploymentResource.kind },
};
