import { isJsonObject, type JsonObject, TerminalError } from '../../base/index.ts';
import { compareVersions, parseTolerantVersion, type Version } from '../../constraints/index.ts';
import { podSecurityLevel } from '../../pod-security/index.ts';
import type { InstallNamespace, InstallTerms, Rendered } from '../format.ts';
import { type CertificateProvider, findCertificateProvider } from './certificates.ts';
import { readConfig } from './config.ts';
import { type InstallMode, supportedModes } from './csv.ts';
import { defaultInstallNamespace } from './install-namespace.ts';
import type { RegistryBundle, RenderedObject } from './registry-bundle.ts';
import { renderBundle } from './render.ts';

/** Vendors put their own marks behind the version of Kubernetes: they do not make it an earlier one. */
function release(text: string): Version {
  const [, numbers = text] = /^v?(\d+\.\d+(?:\.\d+)?)/.exec(text) ?? [];
  return parseTolerantVersion(numbers);
}

function assertKubeVersion({ csv }: RegistryBundle, kubeVersion: string): void {
  const { minKubeVersion = '' } = csv.spec;
  if (minKubeVersion === '') return;
  let isOld: boolean;
  try {
    isOld = compareVersions(release(kubeVersion), parseTolerantVersion(minKubeVersion)) < 0;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError('InvalidBundle', `spec.minKubeVersion of the ClusterServiceVersion: ${thrown.message}`);
  }
  if (!isOld) return;
  const advice = 'upgrade the cluster, or install an earlier version of the operator';
  const text = `the operator needs Kubernetes ${minKubeVersion} (spec.minKubeVersion), the cluster has ${kubeVersion}: ${advice}`;
  throw new TerminalError('KubernetesTooOld', text);
}

/** What to write into the configuration of an operator that cannot watch everything. */
function watchAdvice(modes: readonly InstallMode[], installNamespace: string): string {
  const own = `spec.config.watchNamespace to "${installNamespace}", the install namespace`;
  const other = 'spec.config.watchNamespace to the namespace that the operator is to watch';
  if (modes.includes('SingleNamespace')) {
    return modes.includes('OwnNamespace') ? other : `${other}, not "${installNamespace}", the install namespace`;
  }
  if (modes.includes('OwnNamespace')) return own;
  return 'spec.config.watchNamespaces to the list of namespaces that the operator is to watch';
}

function assertTargets(modes: readonly InstallMode[], config: JsonObject, installNamespace: string): void {
  const { watchNamespace, watchNamespaces } = config;
  if (modes.includes('AllNamespaces') || (watchNamespace ?? watchNamespaces ?? null) !== null) return;
  const supported =
    modes.length === 0
      ? 'no install mode, so it cannot be installed'
      : `${modes.join(', ')} only: set ${watchAdvice(modes, installNamespace)}`;
  const text = `AllNamespace install mode must be enabled, or spec.config must name what to watch: the operator supports ${supported}`;
  throw new TerminalError('InvalidTargets', text);
}

function providerFor(
  requested: CertificateProvider | 'none' | undefined,
  available: readonly string[],
): CertificateProvider | undefined {
  if (requested !== undefined) return requested === 'none' ? undefined : requested;
  const [first] = available;
  return first === undefined ? undefined : findCertificateProvider(first);
}

function texts(value: unknown): JsonObject {
  return isJsonObject(value as JsonObject) ? (value as JsonObject) : {};
}

/** What is applied of an object: its identity, labels, annotations and content, never fields that a server writes.
 *  @see docs/spec/registry-v1-rendering.md#cleaning-before-apply */
function reduced(object: RenderedObject, marks: JsonObject): JsonObject {
  const { status: _status, metadata, ...rest } = object;
  const { name, namespace, labels, annotations } = metadata;
  const { 'kubectl.kubernetes.io/last-applied-configuration': _last, ...noted } = texts(annotations);
  return {
    ...rest,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...noted, ...marks },
    },
  };
}

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const levelLabel = 'pod-security.kubernetes.io/enforce';

function suggested(bundle: RegistryBundle): InstallNamespace {
  const advice = 'set spec.config.installNamespace to the namespace to install in';
  try {
    const namespace = defaultInstallNamespace(bundle);
    if (dnsLabel.test(namespace.name)) return namespace;
    const name = namespace.name.slice(0, 100);
    throw new TerminalError('InvalidBundle', `the bundle suggests a namespace with the impossible name "${name}"`);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError('InvalidBundle', `${thrown.message}: ${advice}`, { cause: thrown });
  }
}

/** The namespace that is asked for, or else the one that the bundle suggests. What the bundle suggests for a namespace is for
 *  that namespace only, and does not matter where another one is requested. */
function chooseNamespace(bundle: RegistryBundle, { installNamespace }: JsonObject): InstallNamespace {
  if (typeof installNamespace !== 'string') return suggested(bundle);
  const plain = { name: installNamespace, labels: {}, annotations: {} };
  try {
    const namespace = defaultInstallNamespace(bundle);
    return namespace.name === installNamespace ? namespace : plain;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return plain;
  }
}

/** The namespace with the label that lets the Pods of `objects` in and as little else as possible, unless the bundle has decided
 *  what is to be let in. */
function withPodSecurity(namespace: InstallNamespace, objects: readonly RenderedObject[]): InstallNamespace {
  const templates = objects
    .filter(({ kind, apiVersion }) => kind === 'Deployment' && apiVersion === 'apps/v1')
    .map(({ spec }) => (isJsonObject(spec) && isJsonObject(spec['template']) ? spec['template'] : {}));
  return { ...namespace, labels: { [levelLabel]: podSecurityLevel(templates), ...namespace.labels } };
}

/** The objects that install an operator with a configuration, and the namespace for them.
 *  @throws TerminalError with the field to set, or the obstacle */
export function renderInstallation(bundle: RegistryBundle, { config, cluster }: InstallTerms): Rendered {
  assertKubeVersion(bundle, cluster.kubeVersion);
  const namespace = chooseNamespace(bundle, config);
  const modes = supportedModes(bundle.csv);
  assertTargets(modes, config, namespace.name);
  const { certificateProvider, ...chosen } = readConfig(config, { modes, installNamespace: namespace.name });
  const certificates = providerFor(certificateProvider, cluster.certificateProviders);
  const objects = renderBundle(bundle, {
    ...chosen,
    installNamespace: namespace.name,
    ...(certificates === undefined ? {} : { certificates }),
  });
  const marks = {
    'olm.operatorframework.io/bundle-version': bundle.csv.spec.version ?? '',
    'olm.operatorframework.io/package-name': bundle.packageName,
  };
  return {
    objects: objects.map((object) => reduced(object, marks)),
    installNamespace: withPodSecurity(namespace, objects),
  };
}
