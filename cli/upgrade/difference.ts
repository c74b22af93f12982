import { parseImageReference } from '../../src/api/index.ts';
import { errorMessage, printable, TerminalError } from '../../src/base/index.ts';
import type { ReleasePayload } from '../../src/release/index.ts';
import type { OptionValues, registryOptions } from '../command/index.ts';
import { openWorkFolder } from '../input/index.ts';
import { colouredDiff, createProgress } from '../output/index.ts';
import { differenceText, loadedBy, openRelease, releaseDifference } from '../release-files/index.ts';
import type { upgradeOptions } from './options.ts';

type Values = OptionValues<typeof upgradeOptions & typeof registryOptions>;

/** The pull specs of the release that a cluster has, and of the one that is requested. */
interface ComparedImages {
  readonly from: string;
  readonly to: string | undefined;
}

/** Both releases are read in this time, or the request is checked without them. */
const deadlineMs = 2 * 60_000;
/** What a cluster of the default settings loads. */
const inclusion = { profile: 'self-managed-high-availability', 'feature-set': 'Default', 'feature-gate': [] };

/** Where releases are read instead of their registries, by their image.
 *  @throws TerminalError InvalidOption */
export function releasePlaces(values: Values): ReadonlyMap<string, string> {
  const pairs = values['release-image'].map((text): readonly [string, string] => {
    const at = text.lastIndexOf('=');
    if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
    throw new TerminalError('InvalidOption', `--release-image ${text}: expected IMAGE=PLACE`);
  });
  return new Map(pairs);
}

async function loadedManifests(image: string, values: Values, signal: AbortSignal): Promise<ReleasePayload> {
  // What the cluster names is an image, not a path of this machine.
  const name = releasePlaces(values).get(image) ?? (parseImageReference(image), image);
  using progress = createProgress(process.stderr, { isQuiet: true });
  await using work = await openWorkFolder();
  const { profile } = inclusion;
  await using release = await openRelease({ name, values, work, progress, signal, profile, releaseImage: '<release>' });
  return { ...release.payload, manifests: loadedBy(release.payload, inclusion).manifests };
}

/** What an update changes in the manifests that a cluster loads, as `release diff` shows it. */
async function changesOf({ from, to }: ComparedImages, values: Values): Promise<string> {
  if (to === undefined || to === '' || from === '') {
    throw new TerminalError('NoImage', 'the image of the release is not known before the cluster has accepted it');
  }
  const signal = AbortSignal.timeout(deadlineMs);
  const before = await loadedManifests(from, values, signal);
  const after = await loadedManifests(to, values, signal);
  return differenceText(releaseDifference({ before, after }, false));
}

/** Prints what an update changes. A release that cannot be read is a warning: the request was checked all the same. */
export async function printChanges(images: ComparedImages, values: Values): Promise<void> {
  try {
    process.stdout.write(colouredDiff(await changesOf(images, values), process.stdout));
  } catch (thrown) {
    const hint = 'name a folder, a tar or a mirror that has it with --release-image IMAGE=PLACE';
    const text = `warning: Cannot show the objects that the update changes: ${errorMessage(thrown)}; ${hint}\n`;
    process.stderr.write(printable(text));
  }
}
