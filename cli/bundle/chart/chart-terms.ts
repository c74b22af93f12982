import { readFile } from 'node:fs/promises';
import { fileProblem, TerminalError } from '../../../src/base/index.ts';
import type { InstallTerms, ValuesDocument } from '../../../src/formats/index.ts';
import type { chartOptions, helmOption, OptionValues } from '../../command/index.ts';

/** Options of commands that render charts. */
export type ChartValues = OptionValues<typeof chartOptions & typeof helmOption>;

async function readValues(path: string): Promise<ValuesDocument> {
  try {
    return { origin: path, text: await readFile(path, 'utf8') };
  } catch (thrown) {
    throw new TerminalError('UnreadableFile', `--values ${path}: ${fileProblem(thrown)}`, { cause: thrown });
  }
}

/** What a chart is rendered with on the command line. */
export async function chartTerms(
  values: ChartValues,
  release: { readonly name: string; readonly namespace: string },
): Promise<InstallTerms> {
  const valuesFrom: ValuesDocument[] = [];
  for (const path of values.values) valuesFrom.push(await readValues(path));
  const kubeVersion = values['kube-version'];
  return {
    config: {},
    cluster: { certificateProviders: [], kubeVersion, apiVersions: values['api-version'] },
    release: { name: values.release ?? release.name, namespace: release.namespace, isUpgrade: false, valuesFrom },
  };
}
