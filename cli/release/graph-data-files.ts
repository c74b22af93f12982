import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultContentLimits, TerminalError } from '../../src/base/index.ts';
import { parseImagePolicy } from '../../src/image-policy/index.ts';
import type { GraphDataFile } from '../../src/update-graph/index.ts';
import { stageBundle } from '../bundle-files/index.ts';
import type { OptionValues, registryOptions } from '../command/index.ts';
import { openWorkFolder, pathKind, readBundleName, readOptionFile } from '../input/index.ts';
import type { Progress } from '../output/index.ts';
import type { offeredOptions } from './graph-options.ts';

interface Request {
  readonly values: OptionValues<typeof offeredOptions & typeof registryOptions>;
  readonly progress: Progress;
}

const maxFiles = 50_000;
const maxFileBytes = 4 * 1024 * 1024;
const maxImageBytes = 128 * 1024 * 1024;
const deadlineMs = 60 * 60_000;
/** Where images of graph data have it: in their root, or where the public update service looks for it. */
const imageFolders: readonly string[] = ['', 'var/lib/cincinnati-graph-data/'];

async function readOne(folder: string, path: string): Promise<GraphDataFile> {
  const file = join(folder, path);
  const { size } = await stat(file);
  if (size > maxFileBytes)
    throw new TerminalError('FileTooLarge', `${file}: ${size} bytes, more than the limit of ${maxFileBytes} bytes`);
  return { path, text: await readFile(file, 'utf8') };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}

/** The files of graph data in a folder: `version`, `channels`, `blocked-edges`.
 *  @throws TerminalError InvalidGraphData, FileTooLarge */
async function readGraphDataFolder(folder: string): Promise<GraphDataFile[]> {
  const paths: string[] = [];
  for (const directory of ['channels', 'blocked-edges']) {
    paths.push(...(await namesIn(join(folder, directory))).map((name) => `${directory}/${name}`));
  }
  if (!paths.some((path) => path.startsWith('channels/'))) {
    throw new TerminalError('InvalidGraphData', `${folder}: expected graph data, with channels/NAME.yaml`);
  }
  if (paths.length > maxFiles) throw new TerminalError('InvalidGraphData', `${folder}: more than ${maxFiles} files`);
  const hasVersion = (await readdir(folder)).includes('version');
  const files: GraphDataFile[] = [];
  for (const path of [...(hasVersion ? ['version'] : []), ...paths]) files.push(await readOne(folder, path));
  return files;
}

/** Whether a file of an image is graph data. */
function takesGraphData(path: readonly string[]): boolean {
  const text = path.join('/');
  return imageFolders.some((folder) => {
    const own = ['version', 'channels', 'blocked-edges'].map((name) => `${folder}${name}`);
    return (
      path.includes('..') || `${folder}`.startsWith(`${text}/`) || own.some((name) => `${text}/`.startsWith(`${name}/`))
    );
  });
}

/** Graph data in an image, an OCI image layout or a tar. */
async function readGraphDataImage(name: string, { values, progress }: Request): Promise<GraphDataFile[]> {
  const { policy: file } = values;
  const policy = file === undefined ? undefined : parseImagePolicy(file, await readOptionFile('--policy', file));
  await using work = await openWorkFolder();
  const limits = {
    ...defaultContentLimits,
    unpackedBytes: maxImageBytes,
    streamedBytes: defaultContentLimits.unpackedBytes,
  };
  const content = { limits, takes: takesGraphData };
  const signal = AbortSignal.timeout(deadlineMs);
  const { staging } = await stageBundle({ name, values, work, progress, signal, content, policy });
  await using _ = staging;
  const files: GraphDataFile[] = [];
  for await (const entry of staging.readFiles(maxFileBytes)) {
    if (entry.kind === 'file') files.push({ path: entry.name, text: entry.content.toString('utf8') });
  }
  const folder = imageFolders.find((prefix) => files.some(({ path }) => path.startsWith(`${prefix}channels/`)));
  if (folder === undefined) {
    const text = `${name}: expected graph data, with channels/NAME.yaml in its root or in /var/lib/cincinnati-graph-data`;
    throw new TerminalError('InvalidGraphData', text);
  }
  return files
    .filter(({ path }) => path.startsWith(folder))
    .map(({ path, text }) => ({ path: path.slice(folder.length), text }));
}

/** The files of graph data: of a folder, or of an image, which a signer of an image policy must have signed where one is given.
 *  @throws TerminalError InvalidGraphData, FileTooLarge and those of `stageBundle` */
export async function readGraphDataFiles(name: string, request: Request): Promise<GraphDataFile[]> {
  const place = readBundleName(name);
  const isFolder = place.kind === 'path' && (await pathKind(place.path)) === 'folder';
  if (!isFolder) return await readGraphDataImage(name, request);
  if (request.values.policy === undefined) return await readGraphDataFolder(place.path);
  throw new TerminalError('InvalidOption', `${name}: --policy: a folder has no signatures: expected an image`);
}
