import type { IncomingMessage } from 'node:http';
import { errorMessage, isJsonObject, printable, printableLine } from '../../../src/base/index.ts';
import { type ArchiveEntry, listArchive } from '../../../src/content/index.ts';
import { type ContentClient, createContentClient, describeRefusal } from '../../client/index.ts';
import type { clusterOptions, OptionValues, outputOption } from '../../command/index.ts';

type Values = OptionValues<typeof clusterOptions & typeof outputOption>;

const deadlineMs = 5 * 60_000;
const maxEntries = 100_000;
const letters = ['r', 'w', 'x'];

function modeText({ kind, mode }: ArchiveEntry): string {
  const bits = Array.from({ length: 9 }, (_, index) => ((mode >> (8 - index)) & 1 ? (letters[index % 3] ?? '') : '-'));
  return `${kind === 'directory' ? 'd' : '-'}${bits.join('')}`;
}

function lineOf(entry: ArchiveEntry): string {
  const isDirectory = entry.kind === 'directory';
  return `${modeText(entry)} ${String(entry.sizeBytes).padStart(10)} ${entry.path}${isDirectory && !entry.path.endsWith('/') ? '/' : ''}`;
}

async function download(client: ContentClient, name: string): Promise<IncomingMessage> {
  const { status } = await client.kube.get({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name });
  const url = isJsonObject(status) ? status['contentURL'] : undefined;
  if (typeof url !== 'string') throw new Error('error: url is not available');
  const response = await client.open({ url, signal: AbortSignal.timeout(deadlineMs) });
  if (response.statusCode === 200) return response;
  throw new Error(await describeRefusal('GET', url, response));
}

/** `longshore content BUNDLE`: what is in an unpacked Bundle, a line a file. */
export async function content(values: Values, [name]: readonly [string]): Promise<number> {
  try {
    using client = await createContentClient(values);
    const entries = await listArchive((await download(client, name)) as AsyncIterable<Buffer>, maxEntries);
    if (values.output === 'json') process.stdout.write(`${JSON.stringify(entries)}\n`);
    else process.stdout.write(entries.map((entry) => `${printableLine(lineOf(entry))}\n`).join(''));
    return 0;
  } catch (thrown) {
    process.stderr.write(`content command failed: ${printable(errorMessage(thrown))}\n`);
    return 1;
  }
}
