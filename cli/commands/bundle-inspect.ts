import { existsSync } from 'node:fs';
import { extractArchive, type Staging } from '../../src/content/index.ts';
import { buildBundleImage } from '../oci/bundle-image.ts';
import { type BundleFacts, inspectBundle } from '../oci/inspect.ts';
import { openLayout, pathKind } from '../oci/layout.ts';
import { pullInto } from '../oci/registry.ts';
import { openStaging, openWorkFolder, stageFiles, type WorkFolder } from '../oci/work-folder.ts';
import type { OptionValues } from '../options.ts';
import { createProgress, formatBytes, type Progress } from '../progress.ts';

const deadlineMs = 15 * 60_000;

interface Inspected extends BundleFacts {
  /** What was asked for. */
  readonly name: string;
  /** Of the image; for a folder that of the image which it would become. */
  readonly digest: string;
}

interface Inspection {
  readonly name: string;
  readonly values: OptionValues;
  readonly work: WorkFolder;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

async function inspectFolder({ name, work, signal }: Inspection): Promise<Inspected> {
  await using staging = await stageFiles(name, work, signal);
  const options = { form: 'image', compression: 'none', dir: work.path, signal } as const;
  const { digest } = await buildBundleImage(staging, options);
  return { name, digest, ...(await inspectBundle(staging)) };
}

async function extractLayers(name: string, staging: Staging, work: Inspection): Promise<string> {
  await using layout = await openLayout(name, { spoolPath: `${work.work.path}/layout`, signal: work.signal });
  const [, ...layers] = layout.image.blobs;
  for (const layer of layers) {
    const what = `${name}, layer ${layer.digest}`;
    await extractArchive(layer.open(), staging, { what, hasWhiteouts: true, signal: work.signal });
  }
  staging.assertLinksInside(name);
  return layout.image.digest;
}

async function inspectLayout(inspection: Inspection): Promise<Inspected> {
  await using staging = await openStaging(inspection.work);
  const digest = await extractLayers(inspection.name, staging, inspection);
  return { name: inspection.name, digest, ...(await inspectBundle(staging)) };
}

async function inspectImage(inspection: Inspection): Promise<Inspected> {
  await using staging = await openStaging(inspection.work);
  const digest = await pullInto(staging, inspection.name, inspection);
  return { name: inspection.name, digest, ...(await inspectBundle(staging)) };
}

/** What exists is a path, and so is what looks like nothing else; the rest is a reference. */
async function inspect(inspection: Inspection): Promise<Inspected> {
  const { name } = inspection;
  if (!existsSync(name) && !/^[./~]|\/$/.test(name)) return await inspectImage(inspection);
  return await ((await pathKind(name)) === 'folder' ? inspectFolder(inspection) : inspectLayout(inspection));
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}\n`).join('');
}

function textOf({ format, digest, sizeBytes, files, objects, problems }: Inspected): string {
  const head = `format: ${format}\ndigest: ${digest}\nsize: ${formatBytes(sizeBytes)} in ${files.length} files\n`;
  const kinds = table(objects.map(({ kind, count }) => [kind, String(count)]));
  const paths = table(files.map((file) => [file.path, formatBytes(file.sizeBytes)]));
  const refused = problems.length === 0 ? '  none\n' : problems.map((problem) => `  ${problem}\n`).join('');
  return `${head}files:\n${paths}objects:\n${kinds}problems:\n${refused}`;
}

/** `longshore bundle inspect DIR|LAYOUT|REF`: 1 when unpacking would refuse the bundle. */
export async function bundleInspect(values: OptionValues, [name = '']: readonly string[]): Promise<number> {
  await using work = await openWorkFolder();
  const isJson = values['output'] === 'json';
  using progress = createProgress(process.stderr, { isQuiet: isJson });
  const inspected = await inspect({ name, values, work, progress, signal: AbortSignal.timeout(deadlineMs) });
  progress.clear();
  process.stdout.write(isJson ? `${JSON.stringify(inspected)}\n` : textOf(inspected));
  return inspected.problems.length === 0 ? 0 : 1;
}
