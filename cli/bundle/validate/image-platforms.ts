import { errorMessage, mapLimit, withDeadline } from '../../../src/base/index.ts';
import { type BundleUnderCheck, type CheckContext, imagesOf } from '../../../src/bundle-checks/index.ts';
import { platformsIn, type Transfer } from '../../oci/index.ts';

const imagesAtATime = 4;
const imageDeadlineMs = 60_000;

/** Asks registries what platforms the images of a bundle are there for. `known` keeps the answers, for the next bundle. */
export async function readImagePlatforms(
  bundle: BundleUnderCheck,
  known: Map<string, Promise<readonly { os: string; architecture: string }[] | string>>,
  transfer: Transfer,
): Promise<NonNullable<CheckContext['images']>> {
  const ask = async (image: string): Promise<readonly { os: string; architecture: string }[] | string> => {
    try {
      return await withDeadline(`image ${image}`, { deadlineMs: imageDeadlineMs, signal: transfer.signal }, (signal) =>
        platformsIn(image, { ...transfer, signal }),
      );
    } catch (thrown) {
      return errorMessage(thrown);
    }
  };
  const found = await mapLimit(imagesOf(bundle), imagesAtATime, async (image) => {
    const answer = known.get(image) ?? ask(image);
    known.set(image, answer);
    transfer.progress.show(`reading platforms of ${image}`);
    return [image, await answer] as const;
  });
  return new Map(found);
}
