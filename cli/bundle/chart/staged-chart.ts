import { helmProvisionerClass } from '../../../src/api/index.ts';
import { TerminalError } from '../../../src/base/index.ts';
import type { Staging } from '../../../src/content/index.ts';
import {
  type BundleContent,
  type ChartFile,
  type ChartMetadata,
  findChart,
  formatOf,
  readChartMetadata,
  readStaged,
} from '../../../src/formats/index.ts';

/** A chart that was staged. */
export interface StagedChart {
  readonly metadata: ChartMetadata;
  readonly content: BundleContent;
}

/** Reads a staged chart as the provisioners do.
 *  @throws TerminalError InvalidBundle, beginning with `name` */
export async function readStagedChart(name: string, staging: Staging): Promise<StagedChart> {
  const format = formatOf(helmProvisionerClass);
  try {
    const content = await readStaged(format, staging, '');
    const files: ChartFile[] = [];
    for await (const entry of staging.readFiles(format.maxFileBytes)) {
      if (entry.kind === 'file') files.push({ path: entry.name, content: entry.content });
    }
    return { metadata: readChartMetadata(findChart(files)), content };
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError(thrown.reason, `${name}: ${thrown.message}`, { cause: thrown });
  }
}
