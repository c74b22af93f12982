import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseImageReference } from '../../../src/api/index.ts';
import { startHttpServer, TerminalError } from '../../../src/base/index.ts';
import {
  buildUpdateGraphs,
  readGraphData,
  type ServedRelease,
  updateService,
} from '../../../src/update-graph/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { createProgress, createTerminal, type Progress } from '../../output/index.ts';
import { listenOn, untilStopped } from '../../process/index.ts';
import { readGraphDataFolder } from '../graph-data-folder.ts';
import type { graphServeOptions } from '../graph-options.ts';
import { openRelease } from '../staged-release.ts';

type Values = OptionValues<typeof graphServeOptions & typeof registryOptions>;

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

/** `longshore release graph serve DIR` */
export async function releaseGraphServe(values: Values, [folder]: readonly [string]): Promise<number> {
  using progress = createProgress(process.stderr, { isQuiet: false });
  const data = readGraphData(await readGraphDataFolder(folder));
  const offers = await offersOf(values);
  if (offers.length === 0)
    throw new TerminalError('InvalidOption', 'expected --release REF or --releases DIR: there is nothing to offer');
  const releases: ServedRelease[] = [];
  for (const offer of offers) releases.push(await readOffer(offer, values, progress));
  progress.clear();
  const { handle } = updateService(buildUpdateGraphs(data, releases));
  const stopped = untilStopped();
  const address = values['bind-address'];
  const start = (port: number): ReturnType<typeof startHttpServer> =>
    startHttpServer(handle, { port, ...(address === undefined ? {} : { host: address }) });
  await using server = await listenOn('port', values.port, start);
  const terminal = createTerminal(process.stdout);
  terminal.line(
    `serving releases: ${releases.length}, channels: ${data.channels.size}, at http://${address ?? 'localhost'}:${server.port}/api/upgrades_info/graph`,
  );
  await stopped;
  terminal.line('stopping');
  return 0;
}
