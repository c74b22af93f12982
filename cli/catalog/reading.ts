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

/** Shows how much of a catalog was read: of `total` bytes, where that is known and not 0. */
export function countBytes(
  name: string,
  { progress, total }: { readonly progress: Progress; readonly total: number },
): (bytes: number) => void {
  const label = `reading ${name.length > 40 ? `…${name.slice(-39)}` : name}`;
  let done = 0;
  return (bytes) => {
    done += bytes;
    if (total === 0) progress.show(`${label}  ${formatBytes(done)}`);
    else progress.show(label, { done: Math.min(done, total), total, unit: 'bytes' });
  };
}
