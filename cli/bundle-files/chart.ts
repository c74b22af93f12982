import { createChartRenderer } from '../../src/chart-renderer/index.ts';
import type { ChartRenderer } from '../../src/formats/index.ts';
import type { WorkFolder } from '../input/index.ts';

/** Renders charts by the program of `--helm`; its files are in the work folder meanwhile. */
export function openChartRenderer({ helm }: { readonly helm: string }, work: WorkFolder): ChartRenderer {
  return createChartRenderer({ program: helm, searchPath: process.env['PATH'] ?? '', temporaryDir: work.path });
}
