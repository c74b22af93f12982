import type { BundleSource } from '../src/api/index.ts';
import { TransientError } from '../src/base/index.ts';
import { isNotFound, type KubeObject } from '../src/kube/index.ts';
import type { ProvisionerContext } from './context.ts';
import type { UnpackRequest } from './unpacker/index.ts';

/** What fetching a source needs from the cluster. */
export type SourceInputs = Pick<UnpackRequest, 'secret' | 'configMaps'>;

/** Name of the Secret that the source names. */
export function secretNameOf(source: BundleSource): string | undefined {
  return source.image?.pullSecret ?? source.git?.auth?.secret?.name ?? source.http?.auth?.secret?.name;
}

/** Names of the ConfigMaps that the source is made of, each once. */
export function configMapNamesOf(source: BundleSource): string[] {
  const names = (source.configMaps ?? []).map(({ configMap }) => configMap.name ?? '');
  return source.type === 'configMaps' ? [...new Set(names)] : [];
}

async function read(
  { kube, systemNamespace: namespace }: ProvisionerContext,
  ref: { readonly kind: string; readonly name: string; readonly notFound: string },
  signal: AbortSignal,
): Promise<KubeObject> {
  const { kind, name, notFound } = ref;
  try {
    return await kube.get({ apiVersion: 'v1', kind, namespace, name }, { signal });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    throw new TransientError(`${kind}NotFound`, `source bundle content: ${notFound}`, { cause: thrown });
  }
}

async function readSecret(
  context: ProvisionerContext,
  source: BundleSource,
  signal: AbortSignal,
): Promise<SourceInputs['secret']> {
  const name = secretNameOf(source) ?? '';
  if (name === '') return undefined;
  const notFound = `secret "${name}" not found in namespace "${context.systemNamespace}"`;
  const { type, data } = (await read(context, { kind: 'Secret', name, notFound }, signal)) as Partial<
    NonNullable<SourceInputs['secret']>
  >;
  return { name, ...(type === undefined ? {} : { type }), ...(data === undefined ? {} : { data }) };
}

async function readConfigMaps(
  context: ProvisionerContext,
  source: BundleSource,
  signal: AbortSignal,
): Promise<SourceInputs['configMaps']> {
  const found: NonNullable<SourceInputs['configMaps']>[number][] = [];
  for (const name of configMapNamesOf(source)) {
    const notFound = `get configmap ${context.systemNamespace}/${name}: ConfigMap "${name}" not found`;
    const { data, binaryData } = (await read(context, { kind: 'ConfigMap', name, notFound }, signal)) as Partial<
      (typeof found)[number]
    >;
    found.push({ name, ...(data === undefined ? {} : { data }), ...(binaryData === undefined ? {} : { binaryData }) });
  }
  return found;
}

/** Reads the Secret and the ConfigMaps that a source names, from the system namespace.
 *  @throws TransientError SecretNotFound, ConfigMapNotFound */
export async function readSourceInputs(
  context: ProvisionerContext,
  source: BundleSource,
  signal: AbortSignal,
): Promise<SourceInputs> {
  const secret = await readSecret(context, source, signal);
  return { secret, configMaps: await readConfigMaps(context, source, signal) };
}
