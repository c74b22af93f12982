import { createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder, TerminalError } from '../base/index.ts';
import type { Staging } from './staging.ts';

async function makeEmpty(folder: string): Promise<void> {
  makeFolder(folder);
  if ((await readdir(folder)).length === 0) return;
  throw new TerminalError('FolderNotEmpty', `${folder}: not empty; specify a new or empty folder`);
}

/** Writes what is staged into a folder that is new or empty: directories and files, executable where they were; links are left out. The paths were
 *  checked when they were staged, and nothing that exists is written to.
 *  @throws TerminalError FolderNotEmpty · Node.js' own errors for what cannot be written */
export async function writeFolder(
  staging: Staging,
  folder: string,
  options: { readonly signal: AbortSignal },
): Promise<{ readonly files: number; readonly sizeBytes: number }> {
  await makeEmpty(folder);
  let [files, sizeBytes] = [0, 0];
  for (const { path, node } of staging.tree.entries()) {
    const target = join(folder, path);
    if (node.kind === 'directory') {
      await mkdir(target);
      continue;
    }
    const output = createWriteStream(target, { flags: 'wx', mode: node.isExecutable ? 0o755 : 0o644 });
    await pipeline(Readable.from(staging.streamFile(node)), output, { signal: options.signal });
    files += 1;
    sizeBytes += node.sizeBytes;
  }
  return { files, sizeBytes };
}
