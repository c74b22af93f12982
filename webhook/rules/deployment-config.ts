import type { JsonObject } from '../../src/base/index.ts';
import { findFormat } from '../../src/formats/index.ts';
import { type AdmissionResult, denyAdded, mergeResults } from './rule.ts';

/** What is understood of `spec.config` of a BundleDeployment has its form, which the format of the template's class knows. */
export function deploymentConfig(provisionerClassName: string, config: JsonObject | undefined): AdmissionResult {
  const format = findFormat(provisionerClassName);
  const problems = format?.configProblems(config ?? {}) ?? [];
  const warnings = format?.configWarnings(config ?? {}) ?? [];
  return mergeResults([...problems.map(denyAdded), { denials: [], warnings }]);
}
