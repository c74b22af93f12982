import { TerminalError } from '../../../src/base/index.ts';
import { writeFolder } from '../../../src/content/index.ts';
import { buildRelease, type ReleaseMetadata, readPayload } from '../../../src/release/index.ts';
import type {
  imageFormOption,
  imageTargetOptions,
  OptionValues,
  outputOption,
  registryOptions,
} from '../../command/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { buildBundleImage, pushTo, writeLayout } from '../../oci/index.ts';
import { counted, createProgress, formatBytes } from '../../output/index.ts';
import { findComponents } from '../components.ts';
import type { componentOptions, releaseFolderOption, releaseMetadataOptions } from '../options.ts';
import { stagePayload } from '../stage-files.ts';

type Values = OptionValues<
  typeof componentOptions &
    typeof releaseMetadataOptions &
    typeof imageFormOption &
    typeof releaseFolderOption &
    typeof imageTargetOptions &
    typeof registryOptions &
    typeof outputOption
>;

const deadlineMs = 60 * 60_000;
const versionLabel = 'io.openshift.release';
const releaseArtifactType = 'application/vnd.longshore.release.v1';

function metadataOf(values: Values): ReleaseMetadata {
  const { version, previous, channel, url = '', multi } = values;
  if (version === undefined) throw new TerminalError('InvalidOption', 'expected --version VERSION');
  return { version, previous, next: [], url, architecture: multi ? 'multi' : '', channels: channel.toSorted() };
}

/** `longshore release build [DIR]` */
export async function releaseBuild(values: Values, folders: readonly string[]): Promise<number> {
  const isJson = values.output === 'json';
  await using work = await openWorkFolder();
  using progress = createProgress(process.stderr, { isQuiet: isJson });
  const signal = AbortSignal.timeout(deadlineMs);
  const metadata = metadataOf(values);
  progress.show('reading components');
  const found = await findComponents(folders, { values, progress, signal });
  const { files, images, warnings } = buildRelease({ metadata, ...found });
  await using staging = await stagePayload(files, work);
  const read = await readPayload(staging, { releaseImage: metadata.version, clusterProfile: '' });
  for (const warning of [...warnings, ...read.warnings]) progress.finish(`warning: ${warning}`);
  const labels = { [versionLabel]: metadata.version };
  const options = { form: values.as, compression: 'none', dir: work.path, labels, signal } as const;
  const image = await buildBundleImage(staging, { ...options, artifactType: releaseArtifactType });
  const sizeBytes = files.reduce((sum, { content }) => sum + content.length, 0);
  progress.finish(
    `built ${metadata.version}: ${counted(found.components.length, 'component')}, ${counted(images.length, 'image')}, ${files.length} files, ${formatBytes(sizeBytes)}`,
  );
  if (values.to !== undefined) {
    await writeFolder(staging, values.to, { signal });
    progress.finish(`wrote ${values.to}`);
  }
  if (values.file !== undefined) {
    await writeLayout(image, values.file, signal);
    progress.finish(`wrote ${values.file}`);
  }
  const target = values.push;
  const pushed = target === undefined ? undefined : await pushTo(target, image, { values, progress, signal });
  progress.clear();
  const { digest } = image;
  const places = {
    ...(values.file === undefined ? {} : { file: values.file }),
    ...(pushed === undefined ? {} : { ref: pushed }),
  };
  const result = { version: metadata.version, digest, warnings, ...places };
  process.stdout.write(isJson ? `${JSON.stringify(result)}\n` : `${pushed ?? digest}\n`);
  return 0;
}
