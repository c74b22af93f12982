import { type BundleSource, secretHostsAnnotation, secretUnverifiedAnnotation } from '../src/api/index.ts';
import { TerminalError, TransientError } from '../src/base/index.ts';
import type { WorkPlace } from '../src/controller/index.ts';
import { isNotFound, type KubeClient, type KubeObject } from '../src/kube/index.ts';
import { definitionOf } from '../src/sources/definitions/index.ts';
import type { PullSecrets, SourceSecret } from '../src/sources/index.ts';
import { secretNames, serviceAccountName } from './account-secrets.ts';
import type { ProvisionerContext } from './context.ts';
import type { UnpackRequest } from './unpacker/index.ts';

/** What fetching a source needs from the cluster. */
export type SourceInputs = Pick<UnpackRequest, 'secret' | 'pullSecrets' | 'configMaps'>;

/** Whether the source takes the pull secrets of the service account, because it names none. */
export function usesServiceAccount(source: BundleSource): boolean {
  const { isImage = false, inputs } = definitionOf(source);
  return isImage && (inputs.secretName(source) ?? '') === '';
}

/** Names of all Secrets that may matter to the source; `accountSecrets` are those of the service account. */
export function secretNamesOf(source: BundleSource, accountSecrets: readonly string[]): readonly string[] {
  if (usesServiceAccount(source)) return accountSecrets;
  const name = definitionOf(source).inputs.secretName(source) ?? '';
  return name === '' ? [] : [name];
}

/** Who is asked for the content, so that one server is not asked for too much at a time. */
function hostOf(source: BundleSource): string {
  const address = definitionOf(source).address(source) ?? source.type;
  return /^(?:[a-z+]+:\/\/)?(?:[^/@]*@)?([^/]*)/i.exec(address)?.[1] ?? address;
}

/** Which limits fetching the content counts towards. */
export function placeOf(source: BundleSource): WorkPlace {
  return { group: hostOf(source), runsProgram: definitionOf(source).runsProgram?.(source) ?? false };
}

/** Where Secrets and ConfigMaps are read from. */
type SystemNamespace = Pick<ProvisionerContext, 'kube' | 'systemNamespace'>;

async function read(
  { kube, systemNamespace: namespace }: SystemNamespace,
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

async function readSecret(context: SystemNamespace, name: string, signal: AbortSignal): Promise<SourceSecret> {
  const notFound = `secret "${name}" not found in namespace "${context.systemNamespace}"`;
  const secret = await read(context, { kind: 'Secret', name, notFound }, signal);
  const { type, data } = secret as Partial<SourceSecret>;
  const hosts = secret.metadata.annotations?.[secretHostsAnnotation];
  return {
    name,
    namespace: context.systemNamespace,
    ...(type === undefined ? {} : { type }),
    ...(data === undefined ? {} : { data }),
    ...(hosts === undefined ? {} : { hosts }),
    allowsUnverifiedTls: secret.metadata.annotations?.[secretUnverifiedAnnotation] === 'true',
  };
}

/** Those that the Bundle names, else those that the service account lists and that are there: as the kubelet does it. */
async function readPullSecrets(
  context: ProvisionerContext,
  source: BundleSource,
  signal: AbortSignal,
): Promise<SourceInputs['pullSecrets']> {
  const names = secretNamesOf(source, context.accountSecrets.names());
  if (!usesServiceAccount(source)) {
    return { secrets: await Promise.all(names.map((name) => readSecret(context, name, signal))) };
  }
  return await readListed(context, names, signal);
}

async function readListed(
  context: SystemNamespace,
  names: readonly string[],
  signal: AbortSignal,
): Promise<PullSecrets> {
  const secrets: SourceSecret[] = [];
  const missing: string[] = [];
  for (const name of names) {
    try {
      secrets.push(await readSecret(context, name, signal));
    } catch (thrown) {
      if (!(thrown instanceof TransientError) || thrown.reason !== 'SecretNotFound') throw thrown;
      missing.push(name);
    }
  }
  return { secrets, missing, serviceAccount: serviceAccountName };
}

/** Those that the service account of the system namespace lists, as they are now: for images that name none.
 *  @throws what reading them throws */
export async function readAccountPullSecrets(
  context: { readonly kube: KubeClient; readonly systemNamespace: string },
  signal: AbortSignal,
): Promise<PullSecrets> {
  const { kube, systemNamespace: namespace } = context;
  let names: readonly string[] = [];
  try {
    names = secretNames(
      await kube.get({ apiVersion: 'v1', kind: 'ServiceAccount', namespace, name: serviceAccountName }, { signal }),
    );
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
  return await readListed(context, names, signal);
}

async function readConfigMaps(
  context: ProvisionerContext,
  source: BundleSource,
  signal: AbortSignal,
): Promise<SourceInputs['configMaps']> {
  const found: NonNullable<SourceInputs['configMaps']>[number][] = [];
  for (const name of definitionOf(source).inputs.configMapNames(source)) {
    const notFound = `get configmap ${context.systemNamespace}/${name}: ConfigMap "${name}" not found`;
    const configMap = await read(context, { kind: 'ConfigMap', name, notFound }, signal);
    if (configMap['immutable'] !== true) {
      const message = `source bundle content: configmap "${name}" is not immutable: set its field immutable to true`;
      throw new TerminalError('ConfigMapMutable', message);
    }
    const { data, binaryData } = configMap as Partial<(typeof found)[number]>;
    const contentEncoding = configMap.metadata.annotations?.['olm.contentEncoding'];
    found.push({
      name,
      ...(data === undefined ? {} : { data }),
      ...(binaryData === undefined ? {} : { binaryData }),
      ...(contentEncoding === undefined ? {} : { contentEncoding }),
    });
  }
  return found;
}

/** Reads the Secrets and the ConfigMaps that a source needs, from the system namespace.
 *  @throws TransientError SecretNotFound, ConfigMapNotFound · TerminalError ConfigMapMutable */
export async function readSourceInputs(
  context: ProvisionerContext,
  source: BundleSource,
  signal: AbortSignal,
): Promise<SourceInputs> {
  const { isImage = false, inputs } = definitionOf(source);
  if (isImage) return { pullSecrets: await readPullSecrets(context, source, signal) };
  const name = inputs.secretName(source) ?? '';
  const secret = name === '' ? undefined : await readSecret(context, name, signal);
  return { secret, configMaps: await readConfigMaps(context, source, signal) };
}
