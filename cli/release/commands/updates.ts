import { readFile } from 'node:fs/promises';
import { printableLine, readProxySettings, TerminalError, TransientError } from '../../../src/base/index.ts';
import { createHttpClient, type HttpRequest, readBody } from '../../../src/sources/index.ts';
import { type AvailableUpdates, availableUpdates, parseUpdateGraph } from '../../../src/update-graph/index.ts';
import { type OptionValues, type outputOption, printDocument, type registryOptions } from '../../command/index.ts';
import { readAuthorities } from '../../input/index.ts';
import { formatTable } from '../../output/index.ts';
import { packageVersion } from '../../process/index.ts';
import type { updatesOptions } from '../graph-options.ts';

type Values = OptionValues<typeof updatesOptions & typeof outputOption & Pick<typeof registryOptions, 'registry-ca'>>;

const deadlineMs = 60_000;
const maxBytes = 32 * 1024 * 1024;

async function fetchGraph(values: Values, version: string, channel: string): Promise<string> {
  const url = new URL(values.graph);
  for (const [key, value] of Object.entries({ arch: values.arch, channel, version })) url.searchParams.set(key, value);
  url.searchParams.sort();
  const caPem = await readAuthorities(values['registry-ca']);
  using http = createHttpClient({ caPem, proxies: readProxySettings(process.env), answerDeadlineMs: deadlineMs });
  const headers = { accept: 'application/json', 'user-agent': `longshore/${packageVersion()}` };
  const request: HttpRequest = { method: 'GET', url: url.href, headers, signal: AbortSignal.timeout(deadlineMs) };
  const response = await http.send(request);
  const body = (await readBody(request, response, maxBytes)).toString('utf8');
  if (response.status === 200) return body;
  const text = `GET ${url.origin}${url.pathname}: unexpected HTTP status: ${response.status}: ${printableLine(body.slice(0, 200))}`;
  throw new TransientError('RemoteFailed', text);
}

function updatesText({ current, available, conditional }: AvailableUpdates, channel: string): string {
  const head = `Updates from ${current.version} in channel ${channel}:\n\n`;
  const rows = available.map(({ version, image }) => [version, image]);
  const plain = rows.length === 0 ? 'No updates without known risks.\n' : formatTable(['VERSION', 'IMAGE'], rows);
  if (conditional.length === 0) return `${head}${plain}`;
  const risky = conditional.map(({ release, risks }) => {
    const lines = risks.map(({ name, message, url }) => `  ${name}: ${printableLine(message)} ${url}\n`);
    return `\nVersion: ${release.version}\nImage: ${release.image}\n${lines.join('')}`;
  });
  return `${head}${plain}\nUpdates with known risks, which may not apply to a cluster:\n${risky.join('')}`;
}

/** `longshore release updates VERSION` */
export async function releaseUpdates(values: Values, [version]: readonly [string]): Promise<number> {
  const { channel, graph } = values;
  if (channel === undefined) throw new TerminalError('InvalidOption', 'expected --channel NAME');
  const isRemote = /^https?:\/\//.test(graph);
  const text = isRemote ? await fetchGraph(values, version, channel) : await readFile(graph, 'utf8');
  const updates = availableUpdates(parseUpdateGraph(text), { version, channel });
  printDocument(values, { channel, ...updates }, () => updatesText(updates, channel));
  return 0;
}
