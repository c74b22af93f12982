import type { imageFormOption, OptionValues, outputOption, registryOptions } from '../../command/index.ts';
import { openWorkFolder, pathKind } from '../../input/index.ts';
import { openLayout, pushTo } from '../../oci/index.ts';
import { createProgress } from '../../output/index.ts';
import type { buildOptions } from '../options.ts';
import { buildFromFolder } from './build.ts';

type Values = OptionValues<typeof imageFormOption & typeof buildOptions & typeof registryOptions & typeof outputOption>;

const deadlineMs = 60 * 60_000;

/** `longshore bundle push DIR|LAYOUT REF` */
export async function bundlePush(values: Values, [from, ref]: readonly [string, string]): Promise<number> {
  const isJson = values.output === 'json';
  await using stack = new AsyncDisposableStack();
  const work = stack.use(await openWorkFolder());
  const progress = stack.use(createProgress(process.stderr, { isQuiet: isJson }));
  const signal = AbortSignal.timeout(deadlineMs);
  const isFolder = (await pathKind(from)) === 'folder';
  const options = { spoolPath: `${work.path}/layout`, signal };
  const { image } = isFolder
    ? await buildFromFolder(from, values, { folder: work, progress, signal })
    : stack.use(await openLayout(from, options));
  const pushed = await pushTo(ref, image, { values, progress, signal });
  progress.clear();
  process.stdout.write(isJson ? `${JSON.stringify({ ref: pushed, digest: image.digest })}\n` : `${pushed}\n`);
  return 0;
}
