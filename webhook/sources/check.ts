import type { BundleSpec } from '../../src/api/index.ts';
import type { Permissions } from '../../src/controller/index.ts';
import { sourceRuleNames } from '../../src/sources/definitions/index.ts';
import { type AdmissionResult, mergeResults } from '../review/result.ts';
import type { ReviewContext } from '../review/webhook-definition.ts';
import { readSourceFacts } from './facts.ts';

/** ConfigMaps of a source must be immutable. */
export const sourcePermissions: Permissions = {
  system: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
};

/** Validates the source of a new Bundle or template. */
export async function checkSource(
  { source, provisionerClassName }: BundleSpec,
  context: ReviewContext,
): Promise<AdmissionResult> {
  const { rules } = context;
  const facts = await rules.read('config-map-entries', () => readSourceFacts(source, context));
  return mergeResults([
    rules.evaluate('source-type', source),
    ...sourceRuleNames.map((name) => rules.evaluate(name, source, facts)),
    rules.evaluate('content-metadata', provisionerClassName, facts),
  ]);
}
