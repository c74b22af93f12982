import type { ControllerSettings, SharedStoreSettings } from '../../manager/index.ts';
import { dependencyPolicies, parseImageReference } from '../../src/api/index.ts';
import { defaultContentLimits, TerminalError } from '../../src/base/index.ts';
import { helmOption, type OptionValues } from '../command/index.ts';
import { type CatalogConfig, catalogOptions, readCatalogConfig } from './catalogs.ts';

const mebibyte = 1024 * 1024;
const sizeRange = [1, 1_048_576] as const;

/** The settings of the controllers, and the files that some of them are in. */
export interface ProvisionerConfig extends ControllerSettings, CatalogConfig {
  readonly registryCaPath: string | undefined;
  /** File of registry mirrors. */
  readonly registryConfigPath: string | undefined;
  /** File of the image policy. */
  readonly imagePolicyPath: string | undefined;
}

/** Settings that admission and the provisioners must share. */
export const policyOptions = {
  'dependency-policy': {
    kind: 'text',
    placeholder: 'POLICY',
    default: 'warn',
    choices: dependencyPolicies as typeof dependencyPolicies,
    description:
      'How admission handles bundle dependencies that are not met, or would no longer be met: warn, or enforce (deny). With both, a bundle is installed only when its dependencies are met; off ignores dependencies.',
  },
  'require-service-account': {
    kind: 'flag',
    default: false,
    description:
      'Deny BundleDeployments that do not set spec.config.serviceAccount. By default they are installed with the permissions of the provisioners.',
  },
  'foreign-provisioner-class': {
    kind: 'list',
    placeholder: 'CLASS',
    description:
      'Class that another provisioner of the cluster serves; may be repeated. Objects of other unknown classes get an admission warning and, after 30 seconds, a condition.',
  },
} as const;

/** The settings that admission and the provisioners share, from parsed options. */
export function readPolicy(
  values: OptionValues<typeof policyOptions>,
): Pick<ControllerSettings, 'dependencyPolicy' | 'isAccountRequired' | 'foreignClasses'> {
  return {
    dependencyPolicy: values['dependency-policy'],
    isAccountRequired: values['require-service-account'],
    foreignClasses: values['foreign-provisioner-class'],
  };
}

const ownOptions = {
  'insecure-registry': {
    kind: 'list',
    placeholder: 'HOST[:PORT]',
    description: 'Registry to access over plain HTTP; may be repeated. Loopback registries are always allowed.',
  },
  'registry-config': {
    kind: 'text',
    placeholder: 'FILE',
    description:
      'YAML file of mirrors: imageDigestMirrors and imageTagMirrors, or ImageDigestMirrorSets and ImageTagMirrorSets. Reloaded when it changes.',
  },
  'image-policy': {
    kind: 'text',
    placeholder: 'FILE',
    description:
      'YAML file of allowed images and required signatures. By default all images are allowed. Reloaded when it changes.',
  },
  'registry-ca': {
    kind: 'text',
    placeholder: 'FILE',
    description: 'PEM file of additional certificate authorities for registries and git servers.',
  },
  'allow-secrets-without-hosts': {
    kind: 'flag',
    default: false,
    description:
      'Send the credentials of a Secret that does not name its hosts (annotation core.rukpak.io/hosts) to any git or web server that a Bundle names, as RukPak does.',
  },
  workers: {
    kind: 'number',
    placeholder: 'N',
    default: 4,
    range: [1, 64],
    description:
      'Maximum concurrent reconciles of BundleDeployments; four times as many for Bundles. Fetches run in the background.',
  },
  resync: {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '10h',
    range: ['1m', '596h'],
    plainUnit: 'minutes',
    description:
      'Interval in which every Bundle and BundleDeployment is reconciled without a change. A plain number is in minutes.',
  },
  'max-bundle-size': {
    kind: 'number',
    placeholder: 'MIB',
    default: (defaultContentLimits.unpackedBytes / mebibyte) as number,
    range: sizeRange as typeof sizeRange,
    description: 'Maximum size of an unpacked bundle, in MiB.',
  },
  'max-layer-size': {
    kind: 'number',
    placeholder: 'MIB',
    default: (defaultContentLimits.compressedLayerBytes / mebibyte) as number,
    range: sizeRange as typeof sizeRange,
    description: 'Maximum size of a compressed image layer or git pack, in MiB.',
  },
  'content-store-size': {
    kind: 'number',
    placeholder: 'MIB',
    default: 10_240,
    range: sizeRange as typeof sizeRange,
    description:
      'Disk budget for bundle contents and uploads, in MiB. The least recently used contents that can be fetched again are evicted.',
  },
  'content-store': {
    kind: 'text',
    placeholder: 'PLACE',
    default: 'dir',
    choices: ['dir', 'oci'],
    description:
      'Storage of bundle contents and uploads: dir (a local folder) or oci (also a registry, which survives the loss of a node).',
  },
  'content-store-repository': {
    kind: 'text',
    placeholder: 'HOST[:PORT]/PATH',
    description: 'Repository for --content-store oci, without tag or digest.',
  },
  'content-store-login': {
    kind: 'text',
    placeholder: 'FILE',
    description:
      'Credentials for that repository: a config.json of container tools, or the key .dockerconfigjson of a mounted Secret. Read before each use.',
  },
  'answer-timeout': {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '30s',
    range: ['1s', '10m'],
    description: 'Timeout for a registry or git server that sends nothing; the fetch is retried later.',
  },
  'health-deadline': {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '10m',
    range: ['0s', '168h'],
    description:
      'How long to wait for a new version to become healthy before its webhooks are installed and the Bundles of earlier templates are deleted.',
  },
} as const;

/** Options of every process that runs the provisioners. */
export const provisionerOptions: typeof ownOptions & typeof helmOption & typeof catalogOptions & typeof policyOptions =
  {
    ...ownOptions,
    ...helmOption,
    ...catalogOptions,
    ...policyOptions,
  };

type Values = OptionValues<typeof provisionerOptions>;

/** @throws TerminalError InvalidOption */
function readSharedStore(values: Values): SharedStoreSettings | undefined {
  const name = values['content-store-repository'];
  const loginPath = values['content-store-login'];
  if (values['content-store'] === 'dir') {
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
export function readProvisionerConfig(values: Values): ProvisionerConfig {
  return Object.freeze({
    insecureRegistries: values['insecure-registry'],
    registryConfigPath: values['registry-config'],
    imagePolicyPath: values['image-policy'],
    registryCaPath: values['registry-ca'],
    allowsUnnamedHosts: values['allow-secrets-without-hosts'],
    workers: values.workers,
    resyncMs: values.resync,
    limits: Object.freeze({
      ...defaultContentLimits,
      unpackedBytes: values['max-bundle-size'] * mebibyte,
      compressedLayerBytes: values['max-layer-size'] * mebibyte,
    }),
    contentStoreBytes: values['content-store-size'] * mebibyte,
    sharedStore: readSharedStore(values),
    answerDeadlineMs: values['answer-timeout'],
    helm: values.helm,
    healthDeadlineMs: values['health-deadline'],
    ...readPolicy(values),
    ...readCatalogConfig(values),
  });
}
