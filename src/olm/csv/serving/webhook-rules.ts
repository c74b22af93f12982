import { type ClusterServiceVersion, clusterServiceVersionResource } from '../../../api/index.ts';
import { type JsonObject, listOfTexts } from '../../../base/index.ts';
import { groupOf } from '../../../kube/index.ts';
import { webhooksOf } from './descriptions.ts';

const olmGroup = groupOf(clusterServiceVersionResource.apiVersion);
const admissionGroup = 'admissionregistration.k8s.io';

/** Resources of admission that no webhook of an operator may review, in the singular as OLM forbids them and as the API server knows them. */
const admissionResources = new Set([
  '*',
  '*/*',
  'mutatingwebhookconfiguration',
  'validatingwebhookconfiguration',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
]);

function forbiddenIn(rule: JsonObject): string | undefined {
  const groups = listOfTexts(rule, 'apiGroups');
  if (groups.includes('*')) return 'webhook rules cannot include all groups';
  if (groups.includes(olmGroup)) return 'webhook rules cannot include the OLM group';
  const resources = listOfTexts(rule, 'resources').map((resource) => resource.toLowerCase());
  if (!groups.includes(admissionGroup) || !resources.some((resource) => admissionResources.has(resource))) {
    return undefined;
  }
  return 'webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources';
}

/** Why the webhooks of an operator are not installed, in OLM's words: rows T5 and T6; undefined if they may be.
 *  @see docs/spec/olm-v0.md#webhooks */
export function webhookFault(csv: ClusterServiceVersion): string | undefined {
  const webhooks = webhooksOf(csv);
  if (new Set(webhooks.map(({ generateName }) => generateName)).size < webhooks.length) {
    return 'CSV contains repeated WebhookDescription name';
  }
  return webhooks.flatMap(({ rules = [] }) => rules.flatMap((rule) => forbiddenIn(rule) ?? []))[0];
}
