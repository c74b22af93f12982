import { isSourceType, sourceTypes } from '../../src/api/index.ts';
import { allowed, denyAdded, type SourceRule } from './rule.ts';

/** `type` is one of the known ones. */
export const sourceType: SourceRule = ({ type }) =>
  isSourceType(type)
    ? allowed
    : denyAdded(`bundle.spec.source.type "${type}" is not supported: must be one of ${sourceTypes.join(', ')}`);
