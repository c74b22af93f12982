import { getHeapStatistics } from 'node:v8';
import { oldSpaceBytes, TerminalError } from '../../src/base/index.ts';
import type { OptionValues, registryOptions } from '../command/index.ts';
import type { WorkFolder } from '../input/index.ts';
import { formatBytes, type Progress } from '../output/index.ts';

type Values = OptionValues<typeof registryOptions>;

/** Of the documents of one catalog, wherever it comes from. */
export const maxCatalogBytes: number = 4 * 1024 ** 3;

/** What opening a catalog needs of a command. */
export interface OpenOptions {
  /** Those of `registryOptions`. */
  readonly values: Values;
  readonly work: WorkFolder;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** What is left is needed to make something of the documents. */
const maxHeapShare = 0.7;

/** @throws TerminalError CatalogTooLarge, before the process ends for want of memory */
function assertHeapLeft(name: string): void {
  const { used_heap_size: used } = getHeapStatistics();
  const limit = oldSpaceBytes();
  if (used <= limit * maxHeapShare) return;
  const sizes = `its documents take ${formatBytes(used)} of the ${formatBytes(limit)} of memory that this process may have`;
  const advice = 'if it is the right catalog, set NODE_OPTIONS=--max-old-space-size=MIB to allow more';
  throw new TerminalError('CatalogTooLarge', `${name}: ${sizes}; ${advice}`);
}

/** Shows how much of a catalog was read: of `total` bytes, where that is known and not 0. Ends the reading when the memory does.
 *  @throws TerminalError CatalogTooLarge */
export function countBytes(
  name: string,
  { progress, total }: { readonly progress: Progress; readonly total: number },
): (bytes: number) => void {
  const label = `reading ${name.length > 40 ? `…${name.slice(-39)}` : name}`;
  let done = 0;
  return (bytes) => {
    done += bytes;
    assertHeapLeft(name);
    if (total === 0) progress.show(`${label}  ${formatBytes(done)}`);
    else progress.show(label, { done: Math.min(done, total), total, unit: 'bytes' });
  };
}
