import { TerminalError } from '../base/index.ts';
import type { Staging } from '../content/index.ts';
import type { BundleContent, BundleFormat } from './format.ts';

async function* prefixed<T>(prefix: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError(thrown.reason, `${prefix}${thrown.message}`, { cause: thrown });
  }
}

/** Reads a bundle whose files have been fetched, and validates it as the format requires; `prefix` names the stage in messages.
 *  @throws TerminalError InvalidBundle, FileTooLarge */
export async function readStaged(format: BundleFormat, staging: Staging, prefix: string): Promise<BundleContent> {
  const reader = format.begin(prefix);
  const present = new Set<string>();
  for (const { path } of staging.tree.links()) reader.addLink?.(path);
  for (const directory of format.directories === 'all' ? [''] : format.directories) {
    const entries =
      format.directories === 'all'
        ? staging.readFiles(format.maxFileBytes)
        : staging.readDirectory(directory, format.maxFileBytes);
    if (entries === undefined) continue;
    present.add(directory);
    for await (const entry of prefixed(prefix, entries)) reader.add(directory, entry);
  }
  return reader.finish(present);
}
