import { parseImageReference } from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';
import { allowed, denyAdded, type SourceRule } from './rule.ts';

/** The reference can be read as one. */
export const imageReference: SourceRule = ({ type, image }) => {
  if (type !== 'image' || image === undefined) return allowed;
  try {
    parseImageReference(image.ref);
    return allowed;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || typeof thrown.cause !== 'string') throw thrown;
    return denyAdded(`bundle.spec.source.image.ref "${image.ref}" is not a valid image reference: ${thrown.cause}`);
  }
};
