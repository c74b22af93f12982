import { objectAt, textAt } from '../../src/base/index.ts';
import { definitionOf } from '../../src/sources/definitions/index.ts';
import type { ReviewRequest } from '../review/request.ts';
import { type AdmissionResult, allowed, mergeResults } from '../review/result.ts';
import type { ReviewContext, WebhookDefinition } from '../review/webhook-definition.ts';
import type { BundleUse } from './rules.ts';

async function readUses({ facts, signal }: ReviewContext): Promise<BundleUse[]> {
  const uses: BundleUse[] = [];
  for await (const bundles of facts.listBundles({ signal })) {
    const referring = bundles.filter(
      ({ spec }) => definitionOf(spec.source).inputs.configMapNames(spec.source).length > 0,
    );
    uses.push(...referring.map(({ metadata, spec }) => ({ name: metadata.name, source: spec.source })));
  }
  return uses.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function check(request: ReviewRequest, context: ReviewContext): Promise<AdmissionResult> {
  const { operation, namespace } = request;
  if (namespace !== context.systemNamespace) return allowed;
  if (operation !== 'CREATE' && operation !== 'DELETE') return allowed;
  const configMap = (operation === 'CREATE' ? request.object : request.oldObject) ?? {};
  const name = request.name === '' ? textAt(objectAt(configMap, 'metadata'), 'name') : request.name;
  const { rules } = context;
  const rule = operation === 'CREATE' ? 'config-map-referenced' : 'config-map-in-use';
  const bundles = await rules.read(rule, () => readUses(context));
  const change = { operation, name, configMap };
  return mergeResults([
    rules.evaluate('config-map-referenced', change, bundles),
    rules.evaluate('config-map-in-use', change, bundles),
  ]);
}

export const configMapWebhook: WebhookDefinition = {
  name: 'vconfigmaps.core.rukpak.io',
  path: '/validate-core-v1-configmap',
  check,
  requests: { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'DELETE'], resources: ['configmaps'] },
  isForSystemNamespace: true,
  permissions: { cluster: [{ apiGroups: ['core.rukpak.io'], resources: ['bundles'], verbs: ['list'] }] },
  configuration: 'rukpak-validating-webhook-configuration',
};
