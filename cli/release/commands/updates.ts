import { printable, printableLine, TerminalError } from '../../../src/base/index.ts';
import { type AvailableUpdates, availableUpdates } from '../../../src/update-graph/index.ts';
import { type OptionValues, type outputOption, printDocument, type registryOptions } from '../../command/index.ts';
import { formatTable } from '../../output/index.ts';
import { readGraph } from '../fetch-graph.ts';
import type { updatesOptions } from '../graph-options.ts';

type Values = OptionValues<typeof updatesOptions & typeof outputOption & Pick<typeof registryOptions, 'registry-ca'>>;

function updatesText({ current, available, conditional }: AvailableUpdates, channel: string): string {
  const head = `Updates from ${current.version} in channel ${channel}:\n\n`;
  const rows = available.map(({ version, image }) => [version, image]);
  const plain = rows.length === 0 ? 'No updates without known risks.\n' : formatTable(['VERSION', 'IMAGE'], rows);
  if (conditional.length === 0) return `${head}${plain}`;
  const risky = conditional.map(({ release, risks }) => {
    const lines = risks.map(
      ({ name, message, url }) => `  ${printableLine(name)}: ${printableLine(`${message} ${url}`)}\n`,
    );
    return `\nVersion: ${release.version}\nImage: ${release.image}\n${lines.join('')}`;
  });
  return `${head}${plain}\nUpdates with known risks, which may not apply to a cluster:\n${risky.join('')}`;
}

/** `longshore release updates VERSION` */
export async function releaseUpdates(values: Values, [version]: readonly [string]): Promise<number> {
  const { channel, graph } = values;
  if (channel === undefined) throw new TerminalError('InvalidOption', 'expected --channel NAME');
  const found = await readGraph(graph, { arch: values.arch, channel, version }, values['registry-ca']);
  const updates = availableUpdates(found, { version, channel });
  printDocument(values, { channel, ...updates }, () => printable(updatesText(updates, channel)));
  return 0;
}
