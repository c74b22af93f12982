import type { JsonObject } from '../../src/base/index.ts';
import type { Findings } from '../../src/dependencies/index.ts';

/** How a denial is shown. `reason`: RukPak's form, 403 with the whole text in `status.reason`, which kubectl shows twice; `forbidden`: 403 `Forbidden`;
 *  `invalid`: 422 `Invalid`; `badRequest`: 400, the object is not of the expected kind. */
interface Denial {
  readonly form: 'reason' | 'forbidden' | 'invalid' | 'badRequest';
  readonly text: string;
}

/** The result of a rule, or of several; without findings both lists are empty. */
export interface AdmissionResult {
  readonly denials: readonly Denial[];
  readonly warnings: readonly string[];
  /** Changes to the object, as a JSON patch; of mutating webhooks alone. */
  readonly patch?: readonly JsonObject[];
}

/** The result of a rule without findings. */
export const allowed: AdmissionResult = { denials: [], warnings: [] };

/** A denial in the form and with the text that RukPak has. */
export function denyAsRukPak(text: string): AdmissionResult {
  return { denials: [{ form: 'reason', text }], warnings: [] };
}

/** A denial because of the requesting user, or of what exists in the cluster. */
export function forbid(text: string): AdmissionResult {
  return { denials: [{ form: 'forbidden', text }], warnings: [] };
}

/** A denial because of a field of the object. */
export function denyInvalid(text: string): AdmissionResult {
  return { denials: [{ form: 'invalid', text }], warnings: [] };
}

/** A denial of an object that cannot be read as the kind that the webhook is for. */
export function denyUndecodable(text: string): AdmissionResult {
  return { denials: [{ form: 'badRequest', text }], warnings: [] };
}

/** Nothing but warnings. */
export function warn(warnings: readonly string[]): AdmissionResult {
  return { denials: [], warnings };
}

/** Problems as denials of an invalid object. */
export function resultOf({ problems, warnings }: Findings): AdmissionResult {
  return { denials: problems.map((text) => ({ form: 'invalid', text })), warnings };
}

/** All denials, warnings and patches, in order. */
export function mergeResults(results: readonly AdmissionResult[]): AdmissionResult {
  const patch = results.flatMap((result) => result.patch ?? []);
  return {
    denials: results.flatMap(({ denials }) => denials),
    warnings: results.flatMap(({ warnings }) => warnings),
    ...(patch.length === 0 ? {} : { patch }),
  };
}

/** `allowed`, `warned` or `denied`, as metrics and traces have it. */
export function decisionOf({ denials, warnings }: AdmissionResult): 'allowed' | 'warned' | 'denied' {
  if (denials.length > 0) return 'denied';
  return warnings.length > 0 ? 'warned' : 'allowed';
}
