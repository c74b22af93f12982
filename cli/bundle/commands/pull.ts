import { writeFolder } from '../../../src/content/index.ts';
import type { OptionValues, outputOption, registryOptions } from '../../command/index.ts';
import { openStaging, openWorkFolder } from '../../input/index.ts';
import { pullInto } from '../../oci/index.ts';
import { createProgress, formatBytes } from '../../output/index.ts';

type Values = OptionValues<typeof registryOptions & typeof outputOption>;

const deadlineMs = 60 * 60_000;

/** `longshore bundle pull REF DIR` */
export async function bundlePull(values: Values, [ref, folder]: readonly [string, string]): Promise<number> {
  const isJson = values.output === 'json';
  await using work = await openWorkFolder();
  using progress = createProgress(process.stderr, { isQuiet: isJson });
  const signal = AbortSignal.timeout(deadlineMs);
  await using staging = await openStaging(work);
  const digest = await pullInto(staging, ref, { values, work, progress, signal });
  progress.show(`writing ${folder}`);
  const { files, sizeBytes } = await writeFolder(staging, folder, { signal });
  progress.finish(`wrote ${files} files, ${formatBytes(sizeBytes)}, to ${folder}`);
  process.stdout.write(isJson ? `${JSON.stringify({ digest, folder, files, sizeBytes })}\n` : `${digest}\n`);
  return 0;
}
