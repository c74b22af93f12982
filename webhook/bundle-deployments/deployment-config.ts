import { isJsonEqual, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { findFormat } from '../../src/formats/index.ts';
import { type AdmissionResult, allowed, denyInvalid, mergeResults, warn } from '../review/result.ts';

/** `spec.config` of a BundleDeployment and the class of its template, before and after a change; the former values are not validated. */
export interface ConfigChange {
  readonly provisionerClassName: string;
  readonly config: JsonObject | undefined;
  readonly oldClass: JsonValue | undefined;
  readonly oldConfig: JsonValue | undefined;
}

/** `spec.config` is valid for the format of the template's class. An unchanged configuration is not validated again, unless the class changes: another
 *  class may read it in another way. */
export function deploymentConfig({ provisionerClassName, config, oldClass, oldConfig }: ConfigChange): AdmissionResult {
  if (isJsonEqual(config ?? null, oldConfig ?? null) && provisionerClassName === oldClass) return allowed;
  const format = findFormat(provisionerClassName);
  if (format === undefined) return allowed;
  const given = config ?? {};
  return mergeResults([...format.configProblems(given).map(denyInvalid), warn(format.configWarnings(given))]);
}
