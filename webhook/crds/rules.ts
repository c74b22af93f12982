import { safeCrdUpgradeAnnotation } from '../../src/api/index.ts';
import {
  type CrdChange,
  crdNameOf,
  describeFindings,
  type Finding,
  howToIgnore,
  readSwitches,
} from '../../src/crd-safety/index.ts';
import type { ReviewRequest } from '../review/request.ts';
import { type AdmissionResult, allowed, forbid, warn } from '../review/result.ts';

/** Those of a CustomResourceDefinition or BundleDeployment. */
export type Annotations = Readonly<Record<string, string>> | undefined;

/** A changed CustomResourceDefinition. */
export interface CrdUpdate extends CrdChange {
  readonly operation: ReviewRequest['operation'];
}

/** Warns of unknown checks in the annotations that switch checks off. */
export function crdSafetyAnnotations(annotations: Annotations): AdmissionResult {
  return warn(readSwitches(annotations).warnings);
}

/** A changed definition is compatible with the former one and with existing objects: the checks found nothing. */
export function crdUpgrade(change: CrdUpdate, findings: readonly Finding[]): AdmissionResult {
  if (findings.length === 0) return allowed;
  const note = `(NOTE: to disable this validation, set the "${safeCrdUpgradeAnnotation}" annotation to "false")`;
  const how = howToIgnore(
    findings.map((finding) => finding.check),
    'CustomResourceDefinition',
  );
  const what = `failed to validate safety of ${change.operation} for CRD "${crdNameOf(change.after)}" ${note}`;
  return forbid(`${what}: ${describeFindings(change, findings)}\n${how}`);
}
