import type { Resource } from './resource.ts';

/** Where the kind is served.
 *  @see docs/spec/olm-v0.md#olmconfig */
export const olmConfigResource: Resource = {
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OLMConfig',
  plural: 'olmconfigs',
};

/** Name of the only object that is read.
 *  @see docs/spec/olm-v0.md#olmconfig */
export const olmConfigName = 'cluster';

/** Type of the condition in `status.conditions`.
 *  @see docs/spec/olm-v0.md#olmconfig */
export type OlmConfigConditionType = 'DisabledCopiedCSVs';

/** Reasons of it.
 *  @see docs/spec/olm-v0.md#olmconfig */
export type OlmConfigReason = 'CopiedCSVsEnabled' | 'CopiedCSVsDisabled';
