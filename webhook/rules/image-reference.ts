import { parseImageReference } from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';
import { denyAdded, type SourceRule, silence } from './rule.ts';

/** The reference can be read as one. */
export const imageReference: SourceRule = ({ type, image }) => {
  if (type !== 'image' || image === undefined) return silence;
  try {
    parseImageReference(image.ref);
    return silence;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || typeof thrown.cause !== 'string') throw thrown;
    return denyAdded(`bundle.spec.source.image.ref "${image.ref}" is not a valid image reference: ${thrown.cause}`);
  }
};
