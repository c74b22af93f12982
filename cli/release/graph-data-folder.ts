import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TerminalError } from '../../src/base/index.ts';
import type { GraphDataFile } from '../../src/update-graph/index.ts';

const maxFiles = 50_000;
const maxFileBytes = 4 * 1024 * 1024;

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
export async function readGraphDataFolder(folder: string): Promise<GraphDataFile[]> {
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
