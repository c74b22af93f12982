import { type DependencyPolicy, dependencyPolicies, parseImageReference } from '../src/api/index.ts';
import {
  type ContentLimits,
  defaultContentLimits,
  type LogLevel,
  redactUrl,
  TerminalError,
} from '../src/base/index.ts';
import { type CatalogConfig, catalogOptions, readCatalogConfig } from './catalog-config.ts';
import { inRange, type OptionSpec, type OptionValues } from './options.ts';

const mebibyte = 1024 * 1024;
const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

/** A repository where contents of bundles are kept. */
export interface SharedStoreConfig {
  readonly registry: string;
  readonly repository: string;
  readonly loginPath: string | undefined;
}

/** The settings of the provisioners, checked. Sizes in bytes. */
export interface ProvisionerConfig extends CatalogConfig {
  readonly insecureRegistries: readonly string[];
  readonly registryCaPath: string | undefined;
  /** Where images may be pulled from instead. */
  readonly registryConfigPath: string | undefined;
  /** Which images may be used. */
  readonly imagePolicyPath: string | undefined;
  readonly workers: number;
  /** In which every object is looked at again though nothing has changed. */
  readonly resyncMs: number;
  readonly limits: ContentLimits;
  /** Of contents and uploads together. */
  readonly contentStoreBytes: number;
  /** Where contents are kept beside the folder of this process; undefined: nowhere. */
  readonly sharedStore: SharedStoreConfig | undefined;
  /** How long a registry or git server may stay silent. */
  readonly answerDeadlineMs: number;
  /** How long the Bundles of earlier templates stay for an installation that is not healthy. */
  readonly healthDeadlineMs: number;
  /** What is done about dependencies that are not met. */
  readonly dependencyPolicy: DependencyPolicy;
  /** BundleDeployments must name a service account. */
  readonly isAccountRequired: boolean;
}

/** Every setting of `longshore up`, checked. */
export interface Config extends ProvisionerConfig {
  /** Undefined: everything in memory and in a temporary folder that goes when the process stops. */
  readonly dataDir: string | undefined;
  readonly port: number;
  readonly kubeconfigPath: string | undefined;
  /** The kubeconfig of the cluster to work on; undefined: an API server of our own. */
  readonly clusterPath: string | undefined;
  readonly contentPort: number;
  readonly catalogPort: number;
  readonly systemNamespace: string;
  readonly isSimulating: boolean;
  readonly logLevel: LogLevel;
  /** Undefined: there are no traces. */
  readonly tracesEndpoint: string | undefined;
}

/** What admission and the provisioners must be told alike. */
export const dependencyPolicyOption: OptionSpec = {
  name: 'dependency-policy',
  kind: 'text',
  placeholder: 'POLICY',
  default: 'warn',
  sentence:
    'What admission does about dependencies of bundles that are not met, or would not be any more: warn, or enforce (refuse). Either way a bundle is only installed when they are met; off takes no notice of them.',
};

/** The same. */
export const requireServiceAccountOption: OptionSpec = {
  name: 'require-service-account',
  kind: 'flag',
  default: false,
  sentence:
    'Refuse BundleDeployments that do not name, in spec.config.serviceAccount, a service account to be installed with; without it these are installed with the rights of the provisioners.',
};

/** Of the provisioners, wherever they run. */
export const provisionerOptions: readonly OptionSpec[] = [
  {
    name: 'insecure-registry',
    kind: 'list',
    placeholder: 'HOST[:PORT]',
    sentence: 'Registry that may be spoken to over plain HTTP; may be repeated. Loopback registries always may.',
  },
  {
    name: 'registry-config',
    kind: 'text',
    placeholder: 'FILE',
    sentence:
      'YAML file of mirrors: imageDigestMirrors and imageTagMirrors, or ImageDigestMirrorSets and ImageTagMirrorSets. Read again when it changes.',
  },
  {
    name: 'image-policy',
    kind: 'text',
    placeholder: 'FILE',
    sentence:
      'YAML file that says which images may be used, and who must have signed them; without it all may. Read again when it changes.',
  },
  {
    name: 'registry-ca',
    kind: 'text',
    placeholder: 'FILE',
    sentence:
      'PEM file of certificate authorities that registries and git servers are trusted by, beside the usual ones.',
  },
  {
    name: 'workers',
    kind: 'number',
    placeholder: 'N',
    default: 4,
    sentence:
      'BundleDeployments that are reconciled at a time; four times as many Bundles. Fetching goes on beside them.',
  },
  {
    name: 'resync',
    kind: 'number',
    placeholder: 'MINUTES',
    default: 600,
    sentence: 'Time in which every Bundle and BundleDeployment is looked at again though nothing has changed.',
  },
  {
    name: 'max-bundle-size',
    kind: 'number',
    placeholder: 'MIB',
    default: defaultContentLimits.unpackedBytes / mebibyte,
    sentence: 'Largest unpacked bundle, in MiB.',
  },
  {
    name: 'max-layer-size',
    kind: 'number',
    placeholder: 'MIB',
    default: defaultContentLimits.compressedLayerBytes / mebibyte,
    sentence: 'Largest compressed image layer or git pack, in MiB.',
  },
  {
    name: 'content-store-size',
    kind: 'number',
    placeholder: 'MIB',
    default: 10 * 1024,
    sentence:
      'Most that contents of bundles and uploads may take on disk, in MiB; what was not used for longest and can be fetched again gives way.',
  },
  {
    name: 'content-store',
    kind: 'text',
    placeholder: 'PLACE',
    default: 'dir',
    sentence:
      'Where contents of bundles and uploads are kept: dir (the folder of this process alone) or oci (in a registry as well, so that a lost node loses nothing).',
  },
  {
    name: 'content-store-repository',
    kind: 'text',
    placeholder: 'HOST[:PORT]/PATH',
    sentence: 'Repository for --content-store oci, without tag or digest.',
  },
  {
    name: 'content-store-login',
    kind: 'text',
    placeholder: 'FILE',
    sentence:
      'Login for that repository: a config.json as container tools write it, or the key .dockerconfigjson of a mounted Secret. Read again before each use.',
  },
  {
    name: 'answer-timeout',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 30,
    sentence: 'How long a registry or git server may stay silent before the fetch is given up and tried again later.',
  },
  {
    name: 'health-deadline',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 600,
    sentence:
      'How long a new version may be unhealthy before its webhooks are installed, and the Bundles of earlier templates removed, all the same; healthy ones need no wait.',
  },
  ...catalogOptions,
  dependencyPolicyOption,
  requireServiceAccountOption,
];

/** Where traces go. */
export const tracesOption: OptionSpec = {
  name: 'traces-endpoint',
  kind: 'text',
  placeholder: 'URL',
  variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  sentence:
    'Send traces there, as OpenTelemetry does (OTLP over HTTP, JSON); OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER and OTEL_RESOURCE_ATTRIBUTES count too.',
};

/** The address of --traces-endpoint, without a slash at its end.
 *  @throws TerminalError InvalidOption for anything but an http(s) address, and for one with a login */
export function readTracesEndpoint(values: OptionValues): string | undefined {
  const text = values['traces-endpoint'] as string | undefined;
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TerminalError(
      'InvalidOption',
      `--traces-endpoint: expected http(s)://HOST[:PORT][/PATH], found "${redactUrl(text)}"`,
    );
  }
  if (url.username === '' && url.password === '') return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  throw new TerminalError('InvalidOption', '--traces-endpoint: a login belongs into OTEL_EXPORTER_OTLP_HEADERS');
}

const logLevelOption: OptionSpec = {
  name: 'log-level',
  kind: 'text',
  placeholder: 'LEVEL',
  default: 'error',
  variable: 'LONGSHORE_LOG_LEVEL',
  sentence:
    'debug, info, warn, error or silent; on standard error, as JSON lines where that is no terminal. SIGUSR2 switches to debug and back.',
};

/** The same, for processes that nobody sits in front of. */
export const processLogOption: OptionSpec = { ...logLevelOption, default: 'info' };

/** Options of `longshore up`. */
export const upOptions: readonly OptionSpec[] = [
  {
    name: 'data-dir',
    kind: 'text',
    placeholder: 'DIR',
    variable: 'LONGSHORE_DATA_DIR',
    sentence: 'Keep the cluster and the bundle contents in DIR; without it all is gone when the process stops.',
  },
  {
    name: 'port',
    kind: 'number',
    placeholder: 'PORT',
    default: 0,
    sentence: 'Port of the Kubernetes API on 127.0.0.1; 0 takes a free one (with --data-dir the same as last time).',
  },
  {
    name: 'kubeconfig',
    kind: 'text',
    placeholder: 'FILE',
    sentence: 'Write the kubeconfig to FILE (mode 0600) instead of into the data folder.',
  },
  {
    name: 'cluster',
    kind: 'text',
    placeholder: 'FILE',
    sentence:
      'Work on the cluster of this kubeconfig instead of an API server of its own. The webhook listens on 127.0.0.1: the API server must run on this machine.',
  },
  {
    name: 'content-port',
    kind: 'number',
    placeholder: 'PORT',
    default: 0,
    sentence:
      'Port on 127.0.0.1 where the contents of bundles are served and uploads are taken; 0 takes a free one (with --data-dir the same as last time).',
  },
  {
    name: 'catalog-port',
    kind: 'number',
    placeholder: 'PORT',
    default: 0,
    sentence:
      'Port on 127.0.0.1 where ClusterCatalogs are served; 0 takes a free one (with --data-dir the same as last time).',
  },
  {
    name: 'system-namespace',
    kind: 'text',
    placeholder: 'NAME',
    default: 'rukpak-system',
    sentence: 'Namespace of pull secrets and of objects that name none.',
  },
  {
    name: 'simulate',
    kind: 'flag',
    default: true,
    sentence:
      'Leave workloads as they are applied: without it Deployments, Jobs and others reach the status of a healthy cluster.',
  },
  ...provisionerOptions,
  logLevelOption,
  tracesOption,
];

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === text);
  if (found !== undefined) return found;
  throw new TerminalError('InvalidOption', `--${name}: expected one of ${allowed.join(', ')}, found "${text}"`);
}

/** @throws TerminalError InvalidOption */
export function readDependencyPolicy(values: OptionValues): DependencyPolicy {
  return oneOf('dependency-policy', values['dependency-policy'] as string, dependencyPolicies);
}

/** @throws TerminalError InvalidOption */
export function readLogLevel(values: OptionValues): LogLevel {
  return oneOf('log-level', values['log-level'] as string, logLevels);
}

/** @throws TerminalError InvalidOption */
function readSharedStore(values: OptionValues): SharedStoreConfig | undefined {
  const place = oneOf('content-store', values['content-store'] as string, ['dir', 'oci']);
  const name = values['content-store-repository'] as string | undefined;
  const loginPath = values['content-store-login'] as string | undefined;
  if (place === 'dir') {
    if (name === undefined && loginPath === undefined) return undefined;
    const text = '--content-store-repository and --content-store-login: only with --content-store oci';
    throw new TerminalError('InvalidOption', text);
  }
  if (name === undefined) {
    throw new TerminalError('InvalidOption', '--content-store oci: name a repository with --content-store-repository');
  }
  try {
    const { registry, repository } = parseImageReference(`${name}:any`);
    return { registry, repository, loginPath };
  } catch (thrown) {
    const text = `--content-store-repository ${name}: expected HOST[:PORT]/PATH, without tag or digest`;
    throw new TerminalError('InvalidOption', text, { cause: thrown });
  }
}

/** The settings of the provisioners from parsed options.
 *  @throws TerminalError InvalidOption */
export function readProvisionerConfig(values: OptionValues): ProvisionerConfig {
  const size = (name: string): number => inRange(name, values[name] as number, [1, 1024 * 1024]) * mebibyte;
  return Object.freeze({
    insecureRegistries: (values['insecure-registry'] as readonly string[] | undefined) ?? [],
    registryConfigPath: values['registry-config'] as string | undefined,
    imagePolicyPath: values['image-policy'] as string | undefined,
    registryCaPath: values['registry-ca'] as string | undefined,
    workers: inRange('workers', values['workers'] as number, [1, 64]),
    resyncMs: inRange('resync', values['resync'] as number, [1, 100_000]) * 60_000,
    limits: Object.freeze({
      ...defaultContentLimits,
      unpackedBytes: size('max-bundle-size'),
      compressedLayerBytes: size('max-layer-size'),
    }),
    contentStoreBytes: size('content-store-size'),
    sharedStore: readSharedStore(values),
    answerDeadlineMs: inRange('answer-timeout', values['answer-timeout'] as number, [1, 600]) * 1000,
    healthDeadlineMs: inRange('health-deadline', values['health-deadline'] as number, [0, 604_800]) * 1000,
    dependencyPolicy: readDependencyPolicy(values),
    isAccountRequired: values['require-service-account'] as boolean,
    ...readCatalogConfig(values),
  });
}

/** The frozen settings from parsed options.
 *  @throws TerminalError InvalidOption */
export function readConfig(values: OptionValues): Config {
  return Object.freeze({
    ...readProvisionerConfig(values),
    dataDir: values['data-dir'] as string | undefined,
    port: inRange('port', values['port'] as number, [0, 65_535]),
    kubeconfigPath: values['kubeconfig'] as string | undefined,
    clusterPath: values['cluster'] as string | undefined,
    contentPort: inRange('content-port', values['content-port'] as number, [0, 65_535]),
    catalogPort: inRange('catalog-port', values['catalog-port'] as number, [0, 65_535]),
    systemNamespace: values['system-namespace'] as string,
    isSimulating: values['simulate'] as boolean,
    logLevel: readLogLevel(values),
    tracesEndpoint: readTracesEndpoint(values),
  });
}
