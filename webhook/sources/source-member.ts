import { type BundleSource, isSourceType } from '../../src/api/index.ts';
import { type AdmissionResult, allowed, denyAsRukPak, denyInvalid } from '../review/result.ts';

/** The member that `type` names is present; a list of ConfigMaps is not empty. */
export function sourceMember(source: BundleSource): AdmissionResult {
  const { type } = source;
  if (!isSourceType(type)) return allowed;
  const member = source[type];
  if (type === 'configMaps') {
    const isThere = Array.isArray(member) && member.length > 0;
    return isThere ? allowed : denyAsRukPak('bundle.spec.source.configmaps must be set for source type "configmaps"');
  }
  if (member !== undefined && member !== null) return allowed;
  const text = `bundle.spec.source.${type} must be set for source type "${type}"`;
  return type === 'image' || type === 'git' ? denyAsRukPak(text) : denyInvalid(text);
}
