import type { OlmConfigConditionType, OlmConfigReason } from '../../api/index.ts';
import type { ConditionChange } from '../../controller/index.ts';

/** What is known of the copies of operators that are installed for all namespaces. */
export interface CopiesFacts {
  readonly isDisabled: boolean;
  /** A namespace lacks a copy. */
  readonly isMissing: boolean;
  /** A namespace that is not protected has a copy. */
  readonly isLeft: boolean;
}

const type: OlmConfigConditionType = 'DisabledCopiedCSVs';

function condition(isClean: boolean, reason: OlmConfigReason, message: string): ConditionChange {
  return { type, status: isClean ? 'True' : 'False', reason, message };
}

/** The condition of OLMConfig, in OLM's words.
 *  @see docs/spec/olm-v0.md#olmconfig */
export function copiesCondition({ isDisabled, isMissing, isLeft }: CopiesFacts): ConditionChange {
  if (!isDisabled) {
    const state = isMissing ? 'at least one copied CSVs is missing' : 'present across the cluster';
    return condition(false, 'CopiedCSVsEnabled', `Copied CSVs are enabled and ${state}`);
  }
  const state = isLeft
    ? 'at least one unexpected copied CSV was found for an operator installed in AllNamespace mode'
    : 'no unexpected copied CSVs were found for operators installed in AllNamespace mode';
  return condition(!isLeft, 'CopiedCSVsDisabled', `Copied CSVs are disabled and ${state}`);
}
