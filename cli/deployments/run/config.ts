import { readDeploymentConfig } from '../../../src/api/index.ts';
import type { JsonObject } from '../../../src/base/index.ts';
import type { OptionValues } from '../../command/index.ts';
import { readMappingFile } from '../../input/index.ts';
import type { runOptions } from '../options.ts';
import { readAccountOption } from '../permissions/account-option.ts';

type Values = OptionValues<typeof runOptions>;

async function readConfigFile(path: string | undefined): Promise<JsonObject> {
  if (path === undefined) return {};
  return await readMappingFile('--config', path, 'the fields of spec.config (see "kubectl explain bd.spec.config")');
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
