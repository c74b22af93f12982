import type { JsonObject } from '../../src/base/index.ts';
import type { AdmissionResult } from './result.ts';

/** As of a condition: it is shown to people. */
const maxStatusLength = 32_768;
const maxWarnings = 10;
const maxWarningLength = 256;

function statusOf({ denials }: AdmissionResult): JsonObject | undefined {
  if (denials.length === 0) return undefined;
  const text = denials
    .map((denial) => denial.text)
    .join('; ')
    .slice(0, maxStatusLength);
  const [form] = new Set(denials.map((denial) => denial.form));
  if (denials.some((denial) => denial.form !== form)) return { code: 422, reason: 'Invalid', message: text };
  switch (form) {
    case 'reason':
      return { code: 403, reason: text, message: '' };
    case 'forbidden':
      return { code: 403, reason: 'Forbidden', message: text };
    case 'badRequest':
      return { code: 400, reason: 'BadRequest', message: text };
    default:
      return { code: 422, reason: 'Invalid', message: text };
  }
}

function patchMembers(patch: readonly JsonObject[]): JsonObject {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}

/** The AdmissionReview v1 that answers the request `uid` with a result: at most 10 warnings of at most 256 characters. */
export function renderResponse(uid: string, result: AdmissionResult): JsonObject {
  const status = statusOf(result);
  const warnings = result.warnings.slice(0, maxWarnings).map((text) => text.slice(0, maxWarningLength));
  const response = {
    uid,
    allowed: status === undefined,
    ...(status === undefined ? {} : { status }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(status !== undefined || result.patch === undefined ? {} : patchMembers(result.patch)),
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}
