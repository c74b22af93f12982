import { TerminalError } from '../../../src/base/index.ts';
import { type BundleFacts, inspectBundle } from '../../bundle-files/index.ts';
import type {
  imageFormOption,
  imageTargetOptions,
  longOutputOption,
  OptionValues,
  registryOptions,
} from '../../command/index.ts';
import { openWorkFolder, pathKind, stageFiles, type WorkFolder } from '../../input/index.ts';
import { type BundleImage, buildBundleImage, pushTo, writeLayout } from '../../oci/index.ts';
import { createProgress, formatBytes, type Progress } from '../../output/index.ts';
import type { buildOptions } from '../options.ts';

type Values = OptionValues<
  typeof imageFormOption &
    typeof buildOptions &
    typeof imageTargetOptions &
    typeof registryOptions &
    typeof longOutputOption
>;

const deadlineMs = 60 * 60_000;

/** An image that was built, and what is in it. */
export interface Built {
  readonly image: BundleImage;
  readonly facts: BundleFacts;
}

/** Builds what the options ask for from a folder; the work folder must live as long as the image.
 *  @throws TerminalError NotAFolder and those of `stageFolder` */
export async function buildFromFolder(
  folder: string,
  values: OptionValues<typeof imageFormOption & typeof buildOptions>,
  work: { readonly folder: WorkFolder; readonly progress: Progress; readonly signal: AbortSignal },
): Promise<Built> {
  const { progress, signal } = work;
  if ((await pathKind(folder)) !== 'folder')
    throw new TerminalError('NotAFolder', `${folder}: expected a folder of files`);
  progress.show(`reading ${folder}`);
  await using staging = await stageFiles(folder, work.folder, signal);
  const facts = await inspectBundle(staging);
  progress.show(`building ${folder}`);
  const image = await buildBundleImage(staging, {
    form: values.as,
    compression: values.compression,
    dir: work.folder.path,
    signal,
  });
  progress.finish(`built ${folder}: ${facts.format}, ${facts.files.length} files, ${formatBytes(facts.sizeBytes)}`);
  for (const problem of facts.problems) progress.finish(`warning: unpacking would refuse it: ${problem}`);
  return { image, facts };
}

/** `longshore bundle build DIR` */
export async function bundleBuild(values: Values, [folder]: readonly [string]): Promise<number> {
  const isJson = values.output === 'json';
  await using work = await openWorkFolder();
  using progress = createProgress(process.stderr, { isQuiet: isJson });
  const signal = AbortSignal.timeout(deadlineMs);
  const { image, facts } = await buildFromFolder(folder, values, { folder: work, progress, signal });
  const file = values.file;
  if (file !== undefined) {
    await writeLayout(image, file, signal);
    progress.finish(`wrote ${file}`);
  }
  const target = values.push;
  const pushed = target === undefined ? undefined : await pushTo(target, image, { values, progress, signal });
  progress.clear();
  const { digest } = image;
  const { format, problems } = facts;
  const places = { ...(file === undefined ? {} : { file }), ...(pushed === undefined ? {} : { ref: pushed }) };
  const result = { digest, format, problems, ...places };
  process.stdout.write(isJson ? `${JSON.stringify(result)}\n` : `${pushed ?? digest}\n`);
  return 0;
}
