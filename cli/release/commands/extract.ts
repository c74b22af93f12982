import { nearest, TerminalError } from '../../../src/base/index.ts';
import { writeFolder } from '../../../src/content/index.ts';
import { type PayloadFile, readPayloadFiles } from '../../../src/release/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import { openFilledStaging, openWorkFolder } from '../../input/index.ts';
import { createProgress } from '../../output/index.ts';
import { loadedBy, type OpenedRelease, openRelease } from '../../release-files/index.ts';
import type { extractOptions, inclusionOptions } from '../options.ts';

type Values = OptionValues<typeof extractOptions & typeof inclusionOptions & typeof registryOptions>;

const deadlineMs = 60 * 60_000;

/** All files, or those with a manifest that a cluster loads. */
async function filesOf({ payload, staging }: OpenedRelease, values: Values): Promise<readonly PayloadFile[]> {
  const files = await readPayloadFiles(staging);
  if (!values.included) return files;
  const kept = new Set(
    loadedBy(payload, values).manifests.map(({ directory, fileName }) => `${directory}/${fileName}`),
  );
  return files.filter(({ directory, name }) => kept.has(`${directory}/${name}`));
}

function findFile(files: readonly PayloadFile[], name: string): PayloadFile {
  const file = files.find((candidate) => candidate.name === name);
  if (file !== undefined) return file;
  const close = nearest(
    name,
    files.map((candidate) => candidate.name),
  );
  const advice = close === undefined ? '' : `; did you mean ${close}?`;
  throw new TerminalError('NotFound', `the release has no file "${name}"${advice}`);
}

/** Files of both directories side by side, as `oc adm release extract` writes them.
 *  @throws TerminalError FolderNotEmpty, InvalidRelease for two files of one name */
async function writeFlat(files: readonly PayloadFile[], folder: string, signal: AbortSignal): Promise<number> {
  await using work = await openWorkFolder();
  await using flat = await openFilledStaging(work, async (staging) => {
    const names = new Set<string>();
    const layer = staging.beginLayer('release');
    for (const { name, content } of files) {
      if (names.has(name))
        throw new TerminalError('InvalidRelease', `both directories of the release have a file "${name}"`);
      names.add(name);
      layer.addFile(name, { sizeBytes: content.length, isExecutable: false })(content);
      await layer.relieve();
    }
  });
  return (await writeFolder(flat, folder, { signal })).files;
}

/** `longshore release extract RELEASE` */
export async function releaseExtract(values: Values, [name]: readonly [string]): Promise<number> {
  if ((values.to === undefined) === (values.file === undefined)) {
    throw new TerminalError('InvalidOption', 'expected --to DIR for all files, or --file NAME for one');
  }
  await using work = await openWorkFolder();
  using progress = createProgress(process.stderr, { isQuiet: false });
  const signal = AbortSignal.timeout(deadlineMs);
  await using release = await openRelease({ name, values, work, progress, signal, profile: values.profile });
  const files = await filesOf(release, values);
  if (values.file !== undefined) {
    process.stdout.write(findFile(files, values.file).content);
    return 0;
  }
  const count = await writeFlat(files, values.to ?? '', signal);
  progress.finish(`wrote ${count} files to ${values.to}`);
  const { digest, payload } = release;
  const origin = digest === undefined ? `of ${payload.metadata.version}` : `from digest ${digest}`;
  process.stdout.write(`Extracted release payload ${origin}\n`);
  return 0;
}
