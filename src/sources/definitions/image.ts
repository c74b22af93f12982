import { parseImageReference } from '../../api/index.ts';
import { errorMessage, objectAt, TerminalError, textAt } from '../../base/index.ts';
import {
  deny,
  denyAsRukPak,
  noInputs,
  requireMember,
  type SourceDefinition,
  type SourceDescription,
  type SourceRule,
  warnOfMoving,
} from './definition.ts';

const shortDigestLength = 'sha256:0123456789ab'.length;

/** The tag stays readable; the digest alone decides. */
function pinnedReference(ref: string, resolved: string): string {
  const digest = /@[^@]+$/.exec(resolved)?.[0] ?? '';
  return digest === '' ? ref : `${ref.replace(/@[^@]+$/, '')}${digest}`;
}

function describeReference(ref: string, resolved: string | undefined): SourceDescription {
  try {
    const { tag, digest = resolved === undefined ? undefined : parseImageReference(resolved).digest } =
      parseImageReference(ref);
    const short = digest?.slice(0, shortDigestLength);
    const name = ref.replace(/@.*$/, '');
    return { version: tag ?? short, source: short === undefined ? name : `${name} (${short})` };
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return { source: errorMessage(thrown) };
  }
}

const imageReference: SourceRule = ({ image }) => {
  if (image === undefined) return [];
  try {
    parseImageReference(image.ref);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || typeof thrown.cause !== 'string') throw thrown;
    return deny(`bundle.spec.source.image.ref "${image.ref}" is not a valid image reference: ${thrown.cause}`);
  }
};

const movingReference: SourceRule = ({ image }) =>
  image === undefined || image.ref.includes('@') ? [] : warnOfMoving('image.ref');

export const imageDefinition: SourceDefinition<'image'> = {
  type: 'image',
  address: ({ image }) => image?.ref,
  inputs: { ...noInputs, secretName: ({ image }) => image?.pullSecret },
  isImage: true,
  pin: (source, resolved) => {
    const image = objectAt(source, 'image') ?? {};
    const ref = pinnedReference(textAt(image, 'ref'), textAt(objectAt(resolved, 'image'), 'ref'));
    return { ...source, image: { ...image, ref } };
  },
  describe: ({ image }, resolved) =>
    image === undefined ? undefined : describeReference(image.ref, resolved?.image?.ref),
  rules: {
    'source-member': requireMember('image', denyAsRukPak),
    'image-reference': imageReference,
    'moving-reference': movingReference,
  },
};
