import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseImageReference } from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';
import type { ServedRelease } from '../../src/update-graph/index.ts';
import type { OptionValues, registryOptions } from '../command/index.ts';
import { openWorkFolder } from '../input/index.ts';
import type { Progress } from '../output/index.ts';
import { openRelease } from '../release-files/index.ts';
import type { offeredOptions } from './graph-options.ts';

type Values = OptionValues<typeof offeredOptions & typeof registryOptions>;

const deadlineMs = 60 * 60_000;

/** A release and the repository that clusters fetch it from. */
interface Offer {
  readonly name: string;
  readonly repository: string;
}

async function offersOf(values: Values): Promise<Offer[]> {
  const images = values.release.map((name) => {
    const { registry, repository } = parseImageReference(name);
    return { name, repository: `${registry}/${repository}` };
  });
  const { releases, repository } = values;
  if (releases === undefined) return images;
  if (repository === undefined)
    throw new TerminalError('InvalidOption', '--releases: expected --repository, from which clusters fetch them');
  const names = (await readdir(releases)).toSorted();
  return [...images, ...names.map((name) => ({ name: join(releases, name), repository }))];
}

async function readOffer({ name, repository }: Offer, values: Values, progress: Progress): Promise<ServedRelease> {
  progress.show(`reading ${name}`);
  await using work = await openWorkFolder();
  const signal = AbortSignal.timeout(deadlineMs);
  await using release = await openRelease({ name, values, work, progress, signal, profile: '' });
  const { version, previous, next, url, architecture } = release.payload.metadata;
  if (release.digest === undefined)
    throw new TerminalError('InvalidOption', `${name}: expected an image or an OCI image layout: it has no digest`);
  const payload = `${repository}@${release.digest}`;
  return { version, payload, architecture: architecture === '' ? values.arch : architecture, previous, next, url };
}

/** The releases that a graph offers.
 *  @throws TerminalError InvalidOption and those of `openRelease` */
export async function readServedReleases(values: Values, progress: Progress): Promise<readonly ServedRelease[]> {
  const offers = await offersOf(values);
  if (offers.length === 0)
    throw new TerminalError('InvalidOption', 'expected --release REF or --releases DIR: there is nothing to offer');
  const releases: ServedRelease[] = [];
  for (const offer of offers) releases.push(await readOffer(offer, values, progress));
  progress.clear();
  return releases;
}
