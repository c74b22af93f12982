import { stat } from 'node:fs/promises';
import { printable, TerminalError } from '../../../src/base/index.ts';
import {
  buildUpdateGraphs,
  drawUpdateGraph,
  readGraphData,
  type UpdateGraph,
  type UpdatePath,
  type UpdateTarget,
  updatePath,
  updatesByTarget,
} from '../../../src/update-graph/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import { counted, createProgress, formatTable, type Progress } from '../../output/index.ts';
import { isGraphAddress, readGraph } from '../fetch-graph.ts';
import { readGraphDataFiles } from '../graph-data-files.ts';
import type { graphDrawOptions, offeredOptions } from '../graph-options.ts';
import { readServedReleases } from '../served-releases.ts';

type Values = OptionValues<typeof offeredOptions & typeof graphDrawOptions & typeof registryOptions>;

function misuse(text: string): never {
  throw new TerminalError('InvalidOption', text);
}

/** The graph that an update service would serve of graph data. */
async function buildGraph(name: string, values: Values, progress: Progress): Promise<UpdateGraph> {
  const { channel, arch } = values;
  const data = readGraphData(await readGraphDataFiles(name, { values, progress }));
  if (channel === undefined) return misuse(`expected --channel NAME: ${[...data.channels.keys()].join(', ')}`);
  const releases = await readServedReleases(values, progress);
  const found = [...buildUpdateGraphs(data, releases)].find(
    (graph) => graph.channel === channel && graph.architecture === arch,
  );
  if (found !== undefined) return found.graph;
  throw new TerminalError('NotFound', `channel ${channel} has none of the releases for ${arch}`);
}

async function graphOf(name: string, values: Values, progress: Progress): Promise<UpdateGraph> {
  const { channel, arch } = values;
  if (isGraphAddress(name)) {
    if (channel === undefined) return misuse('expected --channel NAME');
    return await readGraph(name, { arch, channel }, values['registry-ca']);
  }
  const isFile = (await stat(name).catch(() => undefined))?.isFile() === true;
  if (isFile && !/\.(?:tar|tgz|gz|zst)$/.test(name)) return await readGraph(name, { arch, channel: '' }, undefined);
  return await buildGraph(name, values, progress);
}

/** `1.0.0 … 1.0.9 (10)` for versions that follow one another in the graph. */
function condensed(versions: readonly string[], order: ReadonlyMap<string, number>): string {
  const runs: string[][] = [];
  for (const version of versions) {
    const last = runs.at(-1);
    const isNext = (order.get(version) ?? 0) === (order.get(last?.at(-1) ?? '') ?? Number.NaN) + 1;
    if (last !== undefined && isNext) last.push(version);
    else runs.push([version]);
  }
  const shown = runs.map((run) => (run.length < 3 ? run.join(', ') : `${run[0]} … ${run.at(-1)} (${run.length})`));
  return shown.join(', ');
}

function riskText({ risky }: UpdateTarget, order: ReadonlyMap<string, number>): string {
  const groups = Map.groupBy(risky, ({ risks }) => risks.join(', '));
  return [...groups]
    .map(
      ([risks, sources]) =>
        `${condensed(
          sources.map(({ from }) => from),
          order,
        )}: ${risks}`,
    )
    .join('; ');
}

function titleOf(targets: readonly UpdateTarget[], channel: string | undefined): string {
  const plain = targets.reduce((sum, { from }) => sum + from.length, 0);
  const risky = targets.reduce((sum, target) => sum + target.risky.length, 0);
  const counts = `${counted(targets.length, 'version')}, ${counted(plain, 'update')}, ${risky} with known risks`;
  return channel === undefined ? counts : `${channel}: ${counts}`;
}

function graphText(targets: readonly UpdateTarget[], title: string): string {
  const order = new Map(targets.map(({ version }, index) => [version, targets.length - index]));
  const rows = targets.map((target) => [
    target.version,
    target.channels.join(', '),
    condensed(target.from, order),
    riskText(target, order),
  ]);
  return `${title}\n\n${formatTable(['VERSION', 'CHANNELS', 'FROM', 'WITH KNOWN RISKS FROM'], rows)}`;
}

function pathOf(targets: readonly UpdateTarget[], { from, to }: Values): UpdatePath | undefined {
  if (from === undefined) return undefined;
  return updatePath(targets, { from, to: to ?? targets[0]?.version ?? from });
}

function pathText({ hops, reason }: UpdatePath): string {
  if (reason !== undefined) return `\nno path: ${reason}\n`;
  const lines = hops.map(({ from, to, risks }) => {
    const known = risks.length === 0 ? '' : `, with known risks: ${risks.join(', ')}`;
    return `  ${from} -> ${to}${known}\n`;
  });
  return `\npath: ${counted(hops.length, 'update')}\n${lines.join('')}`;
}

/** `longshore release graph draw GRAPH` */
export async function releaseGraphDraw(values: Values, [name]: readonly [string]): Promise<number> {
  using progress = createProgress(process.stderr, { isQuiet: values.output !== 'text' });
  const targets = updatesByTarget(await graphOf(name, values, progress));
  progress.clear();
  const title = titleOf(targets, values.channel);
  const path = pathOf(targets, values);
  if (values.output === 'json') process.stdout.write(`${JSON.stringify({ versions: targets, path })}\n`);
  else if (values.output === 'svg') process.stdout.write(drawUpdateGraph(targets, title));
  else process.stdout.write(printable(`${graphText(targets, title)}${path === undefined ? '' : pathText(path)}`));
  return 0;
}
