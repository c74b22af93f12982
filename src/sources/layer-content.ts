import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { extractArchive, isArchiveStart, pieceBytesOf, type Staging } from '../content/index.ts';
import type { Layer } from './image-layers.ts';

async function isArchive(path: string): Promise<boolean> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0);
    return isArchiveStart(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

async function addFile(
  staging: Staging,
  what: string,
  file: { path: string; name: string; sizeBytes: number },
): Promise<void> {
  const writer = staging.beginLayer(what);
  const push = writer.addFile(file.name, { sizeBytes: file.sizeBytes, isExecutable: false });
  for await (const piece of createReadStream(file.path, {
    highWaterMark: pieceBytesOf(file.sizeBytes),
  }) as AsyncIterable<Buffer>) {
    push(piece);
    await writer.relieve();
  }
}

/** Adds what a verified layer holds, from its file, to the staging area. `what` names it in messages.
 *  @throws TerminalError those of `extractArchive` */
export async function addLayer(
  staging: Staging,
  layer: Layer,
  options: {
    readonly path: string;
    readonly what: string;
    /** As `extractArchive` has it. */
    readonly takes?: ((path: readonly string[]) => boolean) | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { path, what, takes, signal } = options;
  const { content, sizeBytes } = layer;
  const isFile = content.kind === 'file' || (content.kind === 'any' && !(await isArchive(path)));
  if (isFile) {
    await addFile(staging, what, { path, name: content.path, sizeBytes });
    return;
  }
  const source = createReadStream(path, { highWaterMark: pieceBytesOf(sizeBytes) }) as AsyncIterable<Buffer>;
  await extractArchive(source, staging, { what, hasWhiteouts: content.kind === 'layer', takes, signal });
}
