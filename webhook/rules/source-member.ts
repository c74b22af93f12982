import { isSourceType } from '../../src/api/index.ts';
import { allowed, deny, denyAdded, type SourceRule } from './rule.ts';

/** The member that `type` names is present; a list of ConfigMaps is not empty. */
export const sourceMember: SourceRule = (source) => {
  const { type } = source;
  if (!isSourceType(type)) return allowed;
  const member = source[type];
  if (type === 'configMaps') {
    const isThere = Array.isArray(member) && member.length > 0;
    return isThere ? allowed : deny('bundle.spec.source.configmaps must be set for source type "configmaps"');
  }
  if (member !== undefined && member !== null) return allowed;
  const text = `bundle.spec.source.${type} must be set for source type "${type}"`;
  return type === 'image' || type === 'git' ? deny(text) : denyAdded(text);
};
