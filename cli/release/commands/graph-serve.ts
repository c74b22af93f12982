import { startHttpServer } from '../../../src/base/index.ts';
import { buildUpdateGraphs, readGraphData, updateService } from '../../../src/update-graph/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import { createProgress, createTerminal } from '../../output/index.ts';
import { listenOn, untilStopped } from '../../process/index.ts';
import { readGraphDataFiles } from '../graph-data-files.ts';
import type { graphServeOptions, offeredOptions } from '../graph-options.ts';
import { readServedReleases } from '../served-releases.ts';

type Values = OptionValues<typeof offeredOptions & typeof graphServeOptions & typeof registryOptions>;

/** `longshore release graph serve DIR|IMAGE` */
export async function releaseGraphServe(values: Values, [name]: readonly [string]): Promise<number> {
  using progress = createProgress(process.stderr, { isQuiet: false });
  const data = readGraphData(await readGraphDataFiles(name, { values, progress }));
  const releases = await readServedReleases(values, progress);
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
