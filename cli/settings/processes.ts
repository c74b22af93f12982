import type { WebhookSettings } from '../../manager/index.ts';
import type { Shard } from '../../provisioners/index.ts';
import { type LogLevel, TerminalError } from '../../src/base/index.ts';
import { type OptionValues, processLogOption, readOrigin } from '../command/index.ts';
import { reviewedCatalogsOption } from './catalogs.ts';
import { type ClusterVersionConfig, clusterVersionOptions, readClusterVersionConfig } from './cluster-version.ts';
import { controllersMachineOptions, type MachinesConfig, readControllersMachines } from './machines.ts';
import { controllersOlmOptions, type OlmConfig, readOlmConfig } from './olm.ts';
import {
  type ProvisionerConfig,
  policyOptions,
  provisionerOptions,
  readPolicy,
  readProvisionerConfig,
} from './provisioners.ts';
import { readTracesEndpoint, tracesOption } from './up.ts';

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Settings that `longshore controllers` and `longshore webhook` share. */
export interface ProcessConfig {
  /** Undefined: the service account of the pod. */
  readonly kubeconfigPath: string | undefined;
  /** Undefined: that of the pod. */
  readonly systemNamespace: string | undefined;
  readonly listen: ListenAddress;
  readonly probes: ListenAddress;
  readonly tlsDir: string;
  readonly logLevel: LogLevel;
  /** Undefined: no traces. */
  readonly tracesEndpoint: string | undefined;
}

/** Every setting of `longshore webhook`, checked. */
export interface WebhookConfig extends ProcessConfig, WebhookSettings {
  /** Whether this process validates ClusterCatalogs. */
  readonly hasClusterCatalogs: boolean;
  /** Whether it reviews the hooks of Machines. */
  readonly hasMachines: boolean;
  readonly drainMs: number;
  /** Undefined: the Service `rukpak-webhook-service`. */
  readonly externalAddress: string | undefined;
}

/** Every setting of `longshore controllers`, checked. */
export interface ControllersConfig
  extends ProcessConfig,
    ProvisionerConfig,
    OlmConfig,
    MachinesConfig,
    ClusterVersionConfig {
  readonly storeDir: string;
  /** Undefined: the name of the Service `core`. */
  readonly externalAddress: string | undefined;
  /** Of the authorities that clients of the content server trust. */
  readonly caPath: string;
  /** Whether the certificates of the content server and of the webhook are made here. */
  readonly isIssuing: boolean;
  /** Undefined: this process is the only one, without leader election. */
  readonly leaseMs: number | undefined;
  /** Undefined: the host name, where this process is a pod. */
  readonly podName: string | undefined;
  /** Where catalogs are served. */
  readonly catalogListen: ListenAddress;
  /** Undefined: the name of the Service `catalogs`. */
  readonly catalogAddress: string | undefined;
  readonly catalogDir: string;
  /** Where PackageManifests are served. */
  readonly packageListen: ListenAddress;
  /** Of the certificate of the package server; undefined: it has that of the others. */
  readonly packagesTlsDir: string | undefined;
  /** Undefined: this process reconciles everything. */
  readonly shard: Shard | undefined;
  /** Where the other shards reach this process; undefined: at the address of its pod. */
  readonly shardUrl: string | undefined;
}

const sharedOptions = {
  kubeconfig: {
    kind: 'text',
    placeholder: 'FILE',
    description: 'Kubeconfig of the cluster (default: the in-cluster configuration).',
  },
  'system-namespace': {
    kind: 'text',
    placeholder: 'NAME',
    description:
      'Namespace of pull secrets, and of objects without a namespace (default: the namespace of this Pod, else rukpak-system).',
  },
  'health-probe-bind-address': {
    kind: 'text',
    placeholder: '[HOST]:PORT',
    default: ':8081',
    description: 'Address of /healthz and /readyz, over plain HTTP.',
  },
} as const;

const loggingOptions: typeof processLogOption & typeof tracesOption = { ...processLogOption, ...tracesOption };

const ownControllersOptions = {
  'http-bind-address': {
    kind: 'text',
    placeholder: '[HOST]:PORT',
    default: ':8443',
    description: 'Address of the content server, uploads and metrics, over HTTPS.',
  },
  'http-external-address': {
    kind: 'text',
    placeholder: 'URL',
    description: 'URL of that server for clients (default: https://core.<system namespace>.svc).',
  },
  'catalogs-bind-address': {
    kind: 'text',
    placeholder: '[HOST]:PORT',
    default: ':8444',
    description: 'Address of the catalog server, over HTTPS, with the certificate of --tls-dir.',
  },
  'catalogs-external-address': {
    kind: 'text',
    placeholder: 'URL',
    description: 'URL of that server for clients (default: https://catalogs.<system namespace>.svc).',
  },
  'catalogs-storage-dir': {
    kind: 'text',
    placeholder: 'DIR',
    description:
      'Store the indexes of ClusterCatalogs in DIR, which no other process uses (default: catalogs in the folder of --provisioner-storage-dir).',
  },
  'tls-dir': {
    kind: 'text',
    placeholder: 'DIR',
    default: '/etc/pki/tls',
    description: 'Folder with tls.crt and tls.key, the certificate of these servers; reloaded when they change.',
  },
  'bundle-ca-file': {
    kind: 'text',
    placeholder: 'FILE',
    description:
      'PEM file of the authority of that certificate, published in the Secret rukpak-ca (default: ca.crt in the folder of --tls-dir).',
  },
  'issue-certificates': {
    kind: 'flag',
    default: false,
    description:
      'Issue and renew the certificates of this server and of the webhook, in the Secrets core-cert and rukpak-webhook-certificate of the system namespace; --tls-dir and --bundle-ca-file are ignored.',
  },
  'provisioner-storage-dir': {
    kind: 'text',
    placeholder: 'DIR',
    default: '/var/cache/bundles',
    description: 'Store bundle contents and uploads in DIR, which no other process uses.',
  },
  'leader-elect': {
    kind: 'flag',
    default: false,
    description:
      'Reconcile only while this process holds the Lease core.rukpak.io of the system namespace; otherwise stand by with warm caches.',
  },
  'leader-elect-lease-duration': {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '12s',
    range: ['3s', '10m'],
    description:
      'Time after the last renewal when another process may acquire that Lease. A leader that cannot renew it stops after two thirds of that time.',
  },
  'pod-name': {
    kind: 'text',
    placeholder: 'NAME',
    description:
      'Name of the Pod of this process, labelled core.rukpak.io/leader while it is the leader (default: the host name, without --kubeconfig).',
  },
  shard: {
    kind: 'text',
    placeholder: 'K/N',
    description:
      'Reconcile shard K of N of the BundleDeployments and Bundles, with a Lease for each shard. Objects are assigned by name, or by their label core.rukpak.io/shard. Requires --leader-elect.',
  },
  'shard-url': {
    kind: 'text',
    placeholder: 'URL',
    description:
      'URL of the contents of this process for the other shards (default: the address of its Pod, at the port of --http-bind-address).',
  },
} as const;

/** Options of `longshore controllers`. */
export const controllersOptions: typeof sharedOptions &
  typeof ownControllersOptions &
  typeof controllersOlmOptions &
  typeof controllersMachineOptions &
  typeof clusterVersionOptions &
  typeof provisionerOptions &
  typeof loggingOptions = {
  ...sharedOptions,
  ...ownControllersOptions,
  ...controllersOlmOptions,
  ...controllersMachineOptions,
  ...clusterVersionOptions,
  ...provisionerOptions,
  ...loggingOptions,
};

const ownWebhookOptions = {
  'bind-address': {
    kind: 'text',
    placeholder: '[HOST]:PORT',
    default: ':9443',
    description: 'Address of the webhook, over HTTPS.',
  },
  'external-address': {
    kind: 'text',
    placeholder: 'URL',
    description:
      'URL of the webhook for the API server, written to the webhook configurations (default: the Service rukpak-webhook-service of the system namespace).',
  },
  'tls-dir': {
    kind: 'text',
    placeholder: 'DIR',
    default: '/tmp/k8s-webhook-server/serving-certs',
    description: 'Folder with tls.crt, tls.key and ca.crt, the serving certificate; reloaded when they change.',
  },
  drain: {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '10s',
    range: ['0s', '5m'],
    description: 'How long to keep serving after SIGTERM, while /readyz fails, until no more requests arrive.',
  },
  machines: {
    kind: 'flag',
    default: false,
    description:
      'Review the hooks of Machines, for clusters that have no ValidatingAdmissionPolicies (deploy/machines/webhook.yaml).',
  },
} as const;

/** Options of `longshore webhook`. */
export const webhookOptions: typeof sharedOptions &
  typeof ownWebhookOptions &
  typeof policyOptions &
  typeof reviewedCatalogsOption &
  typeof loggingOptions = {
  ...sharedOptions,
  ...ownWebhookOptions,
  ...policyOptions,
  ...reviewedCatalogsOption,
  ...loggingOptions,
};

/** Reads `[HOST]:PORT`; an absent host is every address of the machine.
 *  @throws TerminalError InvalidOption */
export function parseListenAddress(name: string, text: string): ListenAddress {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits !== undefined && port <= 65_535) return { host: bracketed ?? (plain || '::'), port };
  throw new TerminalError('InvalidOption', `--${name}: expected [HOST]:PORT, found "${text}"`);
}

function readShared(
  values: OptionValues<typeof sharedOptions & typeof loggingOptions> & { readonly 'tls-dir': string },
): Omit<ProcessConfig, 'listen'> {
  return {
    kubeconfigPath: values.kubeconfig,
    systemNamespace: values['system-namespace'],
    probes: parseListenAddress('health-probe-bind-address', values['health-probe-bind-address']),
    tlsDir: values['tls-dir'],
    logLevel: values['log-level'],
    tracesEndpoint: readTracesEndpoint(values),
  };
}

type ControllersValues = OptionValues<typeof controllersOptions>;

/** @throws TerminalError InvalidOption */
function readShard(values: ControllersValues): Shard | undefined {
  const text = values.shard;
  if (text === undefined) return undefined;
  const [, index = 0, count = 0] = (/^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > count) {
    throw new TerminalError('InvalidOption', `--shard: expected K/N with K from 1 to N, such as 2/3, found "${text}"`);
  }
  if (values['leader-elect']) return { index, count };
  throw new TerminalError('InvalidOption', '--shard: only with --leader-elect, so that each part has one leader');
}

/** @throws TerminalError InvalidOption */
export function readControllersConfig(values: ControllersValues): ControllersConfig {
  const shared = readShared(values);
  const storeDir = values['provisioner-storage-dir'];
  const shard = readShard(values);
  return Object.freeze({
    ...shared,
    ...readProvisionerConfig(values),
    ...readOlmConfig(values, false),
    ...readControllersMachines(values, shard?.index),
    ...readClusterVersionConfig(values),
    listen: parseListenAddress('http-bind-address', values['http-bind-address']),
    storeDir,
    externalAddress: readOrigin('http-external-address', values['http-external-address']),
    caPath: values['bundle-ca-file'] ?? `${shared.tlsDir}/ca.crt`,
    isIssuing: values['issue-certificates'],
    leaseMs: values['leader-elect'] ? values['leader-elect-lease-duration'] : undefined,
    podName: values['pod-name'],
    catalogListen: parseListenAddress('catalogs-bind-address', values['catalogs-bind-address']),
    packageListen: parseListenAddress('packages-bind-address', values['packages-bind-address']),
    packagesTlsDir: values['packages-tls-dir'],
    catalogAddress: readOrigin('catalogs-external-address', values['catalogs-external-address']),
    catalogDir: values['catalogs-storage-dir'] ?? `${storeDir}/catalogs`,
    shard,
    shardUrl: readOrigin('shard-url', values['shard-url']),
  });
}

/** @throws TerminalError InvalidOption */
export function readWebhookConfig(values: OptionValues<typeof webhookOptions>): WebhookConfig {
  return Object.freeze({
    ...readShared(values),
    ...readPolicy(values),
    listen: parseListenAddress('bind-address', values['bind-address']),
    hasClusterCatalogs: values['cluster-catalogs'],
    hasMachines: values.machines,
    drainMs: values.drain,
    externalAddress: readOrigin('external-address', values['external-address']),
  });
}
