import type { ControllerSettings, SharedStoreSettings } from '../manager/index.ts';
import { type DependencyPolicy, dependencyPolicies, parseImageReference } from '../src/api/index.ts';
import { defaultContentLimits, TerminalError } from '../src/base/index.ts';
import { type CatalogConfig, catalogOptions, readCatalogConfig } from './catalog-config.ts';
import { inRange, type OptionSpec, type OptionValues, oneOf } from './command/index.ts';

const mebibyte = 1024 * 1024;

/** The settings of the controllers, and the files that some of them are in. */
export interface ProvisionerConfig extends ControllerSettings, CatalogConfig {
  readonly registryCaPath: string | undefined;
  /** Where images may be pulled from instead. */
  readonly registryConfigPath: string | undefined;
  /** Which images may be used. */
  readonly imagePolicyPath: string | undefined;
}

/** Settings that admission and the provisioners must share. */
export const dependencyPolicyOption: OptionSpec = {
  name: 'dependency-policy',
  kind: 'text',
  placeholder: 'POLICY',
  default: 'warn',
  description:
    'How admission handles bundle dependencies that are not met, or would no longer be met: warn, or enforce (deny). With both, a bundle is installed only when its dependencies are met; off ignores dependencies.',
};

/** The same. */
export const requireServiceAccountOption: OptionSpec = {
  name: 'require-service-account',
  kind: 'flag',
  default: false,
  description:
    'Deny BundleDeployments that do not set spec.config.serviceAccount. By default they are installed with the permissions of the provisioners.',
};

/** The same. */
export const foreignClassOption: OptionSpec = {
  name: 'foreign-provisioner-class',
  kind: 'list',
  placeholder: 'CLASS',
  description:
    'Class that another provisioner of the cluster serves; may be repeated. Objects of other unknown classes get an admission warning and, after 30 seconds, a condition.',
};

/** Classes of `--foreign-provisioner-class`. */
export function readForeignClasses(values: OptionValues): readonly string[] {
  return (values['foreign-provisioner-class'] as readonly string[] | undefined) ?? [];
}

/** Of the provisioners, wherever they run. */
export const provisionerOptions: readonly OptionSpec[] = [
  {
    name: 'insecure-registry',
    kind: 'list',
    placeholder: 'HOST[:PORT]',
    description: 'Registry to access over plain HTTP; may be repeated. Loopback registries are always allowed.',
  },
  {
    name: 'registry-config',
    kind: 'text',
    placeholder: 'FILE',
    description:
      'YAML file of mirrors: imageDigestMirrors and imageTagMirrors, or ImageDigestMirrorSets and ImageTagMirrorSets. Reloaded when it changes.',
  },
  {
    name: 'image-policy',
    kind: 'text',
    placeholder: 'FILE',
    description:
      'YAML file of allowed images and required signatures. By default all images are allowed. Reloaded when it changes.',
  },
  {
    name: 'registry-ca',
    kind: 'text',
    placeholder: 'FILE',
    description: 'PEM file of additional certificate authorities for registries and git servers.',
  },
  {
    name: 'allow-secrets-without-hosts',
    kind: 'flag',
    default: false,
    description:
      'Send the credentials of a Secret that does not name its hosts (annotation core.rukpak.io/hosts) to any git or web server that a Bundle names, as RukPak does.',
  },
  {
    name: 'workers',
    kind: 'number',
    placeholder: 'N',
    default: 4,
    description:
      'Maximum concurrent reconciles of BundleDeployments; four times as many for Bundles. Fetches run in the background.',
  },
  {
    name: 'resync',
    kind: 'number',
    placeholder: 'MINUTES',
    default: 600,
    description: 'Interval in which every Bundle and BundleDeployment is reconciled without a change.',
  },
  {
    name: 'max-bundle-size',
    kind: 'number',
    placeholder: 'MIB',
    default: defaultContentLimits.unpackedBytes / mebibyte,
    description: 'Maximum size of an unpacked bundle, in MiB.',
  },
  {
    name: 'max-layer-size',
    kind: 'number',
    placeholder: 'MIB',
    default: defaultContentLimits.compressedLayerBytes / mebibyte,
    description: 'Maximum size of a compressed image layer or git pack, in MiB.',
  },
  {
    name: 'content-store-size',
    kind: 'number',
    placeholder: 'MIB',
    default: 10 * 1024,
    description:
      'Disk budget for bundle contents and uploads, in MiB. The least recently used contents that can be fetched again are evicted.',
  },
  {
    name: 'content-store',
    kind: 'text',
    placeholder: 'PLACE',
    default: 'dir',
    description:
      'Storage of bundle contents and uploads: dir (a local folder) or oci (also a registry, which survives the loss of a node).',
  },
  {
    name: 'content-store-repository',
    kind: 'text',
    placeholder: 'HOST[:PORT]/PATH',
    description: 'Repository for --content-store oci, without tag or digest.',
  },
  {
    name: 'content-store-login',
    kind: 'text',
    placeholder: 'FILE',
    description:
      'Credentials for that repository: a config.json of container tools, or the key .dockerconfigjson of a mounted Secret. Read before each use.',
  },
  {
    name: 'answer-timeout',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 30,
    description: 'Timeout for a registry or git server that sends nothing; the fetch is retried later.',
  },
  {
    name: 'health-deadline',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 600,
    description:
      'How long to wait for a new version to become healthy before its webhooks are installed and the Bundles of earlier templates are deleted.',
  },
  ...catalogOptions,
  dependencyPolicyOption,
  requireServiceAccountOption,
  foreignClassOption,
];

/** @throws TerminalError InvalidOption */
export function readDependencyPolicy(values: OptionValues): DependencyPolicy {
  return oneOf('dependency-policy', values['dependency-policy'] as string, dependencyPolicies);
}

/** @throws TerminalError InvalidOption */
function readSharedStore(values: OptionValues): SharedStoreSettings | undefined {
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
    allowsUnnamedHosts: values['allow-secrets-without-hosts'] as boolean,
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
    foreignClasses: readForeignClasses(values),
    ...readCatalogConfig(values),
  });
}
