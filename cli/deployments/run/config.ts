import { readFile } from 'node:fs/promises';
import { readDeploymentConfig } from '../../../src/api/index.ts';
import { errorMessage, isJsonObject, type JsonObject, parseYaml, TerminalError } from '../../../src/base/index.ts';
import type { OptionValues } from '../../command/index.ts';
import type { runOptions } from '../options.ts';
import { readAccountOption } from '../permissions/account-option.ts';

type Values = OptionValues<typeof runOptions>;

async function readConfigFile(path: string | undefined): Promise<JsonObject> {
  if (path === undefined) return {};
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `--config: ${errorMessage(thrown)}`, { cause: thrown });
  }
  const value = parseYaml(`--config ${path}`, text);
  if (isJsonObject(value)) return value;
  const problem = `--config ${path}: expected a YAML mapping, the fields of spec.config (see "kubectl explain bd.spec.config")`;
  throw new TerminalError('InvalidOption', problem);
}

/** One namespace goes into `watchNamespace`, which every bundle with that mode has; several into `watchNamespaces`. */
export function watchedAs(namespaces: readonly string[]): JsonObject {
  if (namespaces.length === 0) return {};
  return namespaces.length === 1 ? { watchNamespace: namespaces[0] ?? '' } : { watchNamespaces: [...namespaces] };
}

/** `spec.config` as the options have it: the file of `--config`, then the options of single fields.
 *  @throws TerminalError InvalidOption, InvalidYaml, InvalidConfig */
export async function readRunConfig(values: Values): Promise<JsonObject> {
  const namespace = values.namespace;
  const { watchNamespace, watchNamespaces, ...file } = await readConfigFile(values.config);
  const watched = values['watch-namespace'];
  const account = readAccountOption(values['service-account']);
  const fromFile = {
    ...(watchNamespace === undefined ? {} : { watchNamespace }),
    ...(watchNamespaces === undefined ? {} : { watchNamespaces }),
  };
  const config = {
    ...file,
    ...(watched.length === 0 ? fromFile : watchedAs(watched)),
    ...(namespace === undefined ? {} : { installNamespace: namespace }),
    ...(account === undefined ? {} : { serviceAccount: { ...account } }),
  };
  readDeploymentConfig(config);
  return config;
}
