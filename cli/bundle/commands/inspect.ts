import { printable, printableLine } from '../../../src/base/index.ts';
import { type BundleFacts, type BundleRequest, inspectBundle, stageBundle } from '../../bundle-files/index.ts';
import type { OptionValues, outputOption, registryOptions } from '../../command/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { buildBundleImage } from '../../oci/index.ts';
import { createProgress, formatBytes } from '../../output/index.ts';

type Values = OptionValues<typeof registryOptions & typeof outputOption>;

const deadlineMs = 15 * 60_000;

interface Inspected extends BundleFacts {
  /** What was asked for. */
  readonly name: string;
  /** Of the image; for a folder that of the image which it would become. */
  readonly digest: string;
}

async function inspect(request: BundleRequest): Promise<Inspected> {
  const { staging, digest } = await stageBundle(request);
  await using _staging = staging;
  const { name, work } = request;
  const options = { form: 'image', compression: 'none', dir: work.path, signal: request.signal } as const;
  const known = digest ?? (await buildBundleImage(staging, options)).digest;
  return { name, digest: known, ...(await inspectBundle(staging)) };
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}\n`).join('');
}

function textOf({ format, digest, sizeBytes, files, objects, problems }: Inspected): string {
  const head = `format: ${format}\ndigest: ${digest}\nsize: ${formatBytes(sizeBytes)} in ${files.length} files\n`;
  const kinds = table(objects.map(({ kind, count }) => [kind, String(count)]));
  const paths = table(files.map((file) => [printableLine(file.path), formatBytes(file.sizeBytes)]));
  const refused = problems.length === 0 ? '  none\n' : problems.map((problem) => `  ${problem}\n`).join('');
  return `${head}files:\n${paths}objects:\n${kinds}problems:\n${refused}`;
}

/** `longshore bundle inspect DIR|FILE|REF|-`: 1 when unpacking would refuse the bundle. */
export async function bundleInspect(values: Values, [name]: readonly [string]): Promise<number> {
  await using work = await openWorkFolder();
  const isJson = values.output === 'json';
  using progress = createProgress(process.stderr, { isQuiet: isJson });
  const inspected = await inspect({ name, values, work, progress, signal: AbortSignal.timeout(deadlineMs) });
  progress.clear();
  process.stdout.write(isJson ? `${JSON.stringify(inspected)}\n` : printable(textOf(inspected)));
  return inspected.problems.length === 0 ? 0 : 1;
}
