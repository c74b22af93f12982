import { printable } from '../../../src/base/index.ts';
import {
  type ApplyMode,
  buildTaskGraph,
  describeManifest,
  drawTasksSvg,
  nodeSize,
  nodeTitle,
  stagesOf,
  type TaskGraph,
} from '../../../src/release/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { createProgress } from '../../output/index.ts';
import { loadedBy, openRelease } from '../../release-files/index.ts';
import type { inclusionOptions, taskOptions } from '../options.ts';

type Values = OptionValues<typeof taskOptions & typeof inclusionOptions & typeof registryOptions>;

const deadlineMs = 60 * 60_000;

const modes: Readonly<Record<Values['mode'], ApplyMode>> = {
  initializing: { kind: 'Initializing' },
  updating: { kind: 'Updating' },
  reconciling: { kind: 'Reconciling', attempt: 0 },
};

/** A line for each stage, and below it one for each of its parts when there are several. */
function tasksText(graph: TaskGraph, heading: string): string {
  const stages = stagesOf(graph);
  const width = String(stages.length).length;
  const lines = stages.flatMap((stage, index) => {
    const number = `${index + 1}`.padStart(width);
    return stage.map((node, at) => {
      const lead = at === 0 ? `${number}. ` : ' '.repeat(width + 2);
      return `${lead}${nodeTitle(node)}  (${nodeSize(node)})`;
    });
  });
  return `${heading}\n\n${lines.join('\n')}\n`;
}

function tasksDocument(graph: TaskGraph): object {
  const nodes = graph.nodes.map(({ needs, tasks }) => ({
    needs,
    tasks: tasks.map(({ index, manifest }) => ({
      index,
      file: manifest.fileName,
      object: describeManifest(manifest.key),
    })),
  }));
  return { workers: graph.workers, nodes };
}

/** `longshore release tasks RELEASE` */
export async function releaseTasks(values: Values, [name]: readonly [string]): Promise<number> {
  using progress = createProgress(process.stderr, { isQuiet: values.output === 'json' });
  await using work = await openWorkFolder();
  const signal = AbortSignal.timeout(deadlineMs);
  await using release = await openRelease({ name, values, work, progress, signal, profile: values.profile });
  const { manifests } = loadedBy(release.payload, values);
  const graph = buildTaskGraph(manifests, modes[values.mode]);
  const { version } = release.payload.metadata;
  const stages = stagesOf(graph).length;
  const counts = `${manifests.length} of ${release.payload.manifests.length} manifests in ${stages} ${stages === 1 ? 'stage' : 'stages'}`;
  const heading = `${version}, ${values.mode}: ${counts}, at most ${graph.workers} at once`;
  if (values.output === 'json') process.stdout.write(`${JSON.stringify({ version, ...tasksDocument(graph) })}\n`);
  else
    process.stdout.write(values.output === 'svg' ? drawTasksSvg(graph, heading) : printable(tasksText(graph, heading)));
  return 0;
}
