import { isSourceType, sourceTypes } from '../../src/api/index.ts';
import { denyAdded, type SourceRule, silence } from './rule.ts';

/** `type` is one of the known ones. */
export const sourceType: SourceRule = ({ type }) =>
  isSourceType(type)
    ? silence
    : denyAdded(`bundle.spec.source.type "${type}" is not supported: must be one of ${sourceTypes.join(', ')}`);
