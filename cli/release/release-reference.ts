import { TerminalError } from '../../src/base/index.ts';
import type { ImagePolicy } from '../../src/image-policy/index.ts';
import type { OptionValues, registryOptions } from '../command/index.ts';
import { openWorkFolder, readBundleName } from '../input/index.ts';
import { digestOf } from '../oci/index.ts';
import type { Progress } from '../output/index.ts';
import { openRelease } from '../release-files/index.ts';

interface Reading {
  readonly values: OptionValues<typeof registryOptions>;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

function misuse(text: string): never {
  throw new TerminalError('InvalidOption', text);
}

/** A pull spec by digest: that of an image in a registry, or of the image in an OCI image layout. A digest that is named is taken as it is, unless there is a
 *  policy, whose signers are asked for here.
 *  @throws TerminalError InvalidOption */
export async function releaseReference(
  name: string,
  policy: ImagePolicy | undefined,
  reading: Reading,
): Promise<string> {
  const place = readBundleName(name);
  if (place.kind === 'image') {
    const [, named] = /@(sha256:[0-9a-f]{64})$/.exec(place.ref) ?? [];
    if (named !== undefined && policy === undefined) return place.ref;
    return `${place.ref.replace(/@.*$/, '')}@${await digestOf(place.ref, policy, reading)}`;
  }
  if (policy !== undefined)
    misuse('--policy: signatures of cosign are in the registry: expected the reference of an image');
  await using work = await openWorkFolder();
  await using release = await openRelease({ ...reading, name, work, profile: '' });
  return release.digest === undefined
    ? misuse(`${name}: expected an image or an OCI image layout: files have no digest that could be signed`)
    : `${name}@${release.digest}`;
}
