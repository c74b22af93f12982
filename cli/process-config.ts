import type { WebhookSettings } from '../manager/index.ts';
import type { Shard } from '../provisioners/index.ts';
import { type LogLevel, TerminalError } from '../src/base/index.ts';
import { reviewedCatalogsOption } from './catalog-config.ts';
import { type OptionSpec, type OptionValues, processLogOption, readLogLevel, readOrigin } from './command/index.ts';
import { readTracesEndpoint, tracesOption } from './config.ts';
import {
  dependencyPolicyOption,
  foreignClassOption,
  type ProvisionerConfig,
  provisionerOptions,
  readDependencyPolicy,
  readForeignClasses,
  readProvisionerConfig,
  requireServiceAccountOption,
} from './provisioner-config.ts';

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Settings that `longshore controllers` and `longshore webhook` have alike. */
export interface ProcessConfig {
  /** Undefined: the service account of the pod. */
  readonly kubeconfigPath: string | undefined;
  /** Undefined: that of the pod. */
  readonly systemNamespace: string | undefined;
  readonly listen: ListenAddress;
  readonly probes: ListenAddress;
  readonly tlsDir: string;
  readonly logLevel: LogLevel;
  /** Undefined: there are no traces. */
  readonly tracesEndpoint: string | undefined;
}

/** Every setting of `longshore webhook`, checked. */
export interface WebhookConfig extends ProcessConfig, WebhookSettings {
  /** Whether ClusterCatalogs are judged here. */
  readonly hasClusterCatalogs: boolean;
  readonly drainMs: number;
  /** Undefined: the Service `rukpak-webhook-service`. */
  readonly externalAddress: string | undefined;
}

/** Every setting of `longshore controllers`, checked. */
export interface ControllersConfig extends ProcessConfig, ProvisionerConfig {
  readonly storeDir: string;
  /** Undefined: the name of the Service `core`. */
  readonly externalAddress: string | undefined;
  /** Of the authorities that clients of the content server trust. */
  readonly caPath: string;
  /** Whether the certificates of the content server and of the webhook are made here. */
  readonly isIssuing: boolean;
  /** Undefined: this process is the only one, and works at once. */
  readonly leaseMs: number | undefined;
  /** Undefined: the host name, where this process is a pod. */
  readonly podName: string | undefined;
  /** Where catalogs are served. */
  readonly catalogListen: ListenAddress;
  /** Undefined: the name of the Service `catalogs`. */
  readonly catalogAddress: string | undefined;
  readonly catalogDir: string;
  /** Undefined: this process takes care of everything. */
  readonly shard: Shard | undefined;
  /** Where the other shards reach this process; undefined: at the address of its pod. */
  readonly shardUrl: string | undefined;
}

const sharedOptions: readonly OptionSpec[] = [
  {
    name: 'kubeconfig',
    kind: 'text',
    placeholder: 'FILE',
    sentence: 'The cluster to work on; without it the one that this process is a pod of.',
  },
  {
    name: 'system-namespace',
    kind: 'text',
    placeholder: 'NAME',
    sentence:
      'Namespace of pull secrets and of objects that name none (default: the namespace of this pod, else rukpak-system).',
  },
  {
    name: 'health-probe-bind-address',
    kind: 'text',
    placeholder: '[HOST]:PORT',
    default: ':8081',
    sentence: 'Where /healthz and /readyz are answered, over plain HTTP.',
  },
];

/** Options of `longshore controllers`. */
export const controllersOptions: readonly OptionSpec[] = [
  ...sharedOptions,
  {
    name: 'http-bind-address',
    kind: 'text',
    placeholder: '[HOST]:PORT',
    default: ':8443',
    sentence: 'Where contents and metrics are served and uploads are taken, over HTTPS.',
  },
  {
    name: 'http-external-address',
    kind: 'text',
    placeholder: 'URL',
    sentence: 'Where clients reach that (default: https://core.<system namespace>.svc).',
  },
  {
    name: 'catalogs-bind-address',
    kind: 'text',
    placeholder: '[HOST]:PORT',
    default: ':8444',
    sentence: 'Where ClusterCatalogs are served, over HTTPS, with the certificate of --tls-dir.',
  },
  {
    name: 'catalogs-external-address',
    kind: 'text',
    placeholder: 'URL',
    sentence: 'Where clients reach that (default: https://catalogs.<system namespace>.svc).',
  },
  {
    name: 'catalogs-storage-dir',
    kind: 'text',
    placeholder: 'DIR',
    sentence:
      'Keep the indexes of ClusterCatalogs in DIR, which no other process has (default: catalogs in the folder of --provisioner-storage-dir).',
  },
  {
    name: 'tls-dir',
    kind: 'text',
    placeholder: 'DIR',
    default: '/etc/pki/tls',
    sentence: 'Folder of tls.crt and tls.key, the certificate of these servers; read again when they are replaced.',
  },
  {
    name: 'bundle-ca-file',
    kind: 'text',
    placeholder: 'FILE',
    sentence:
      'PEM file of the authority of that certificate; clients find it in the Secret rukpak-ca (default: ca.crt in the folder of --tls-dir).',
  },
  {
    name: 'issue-certificates',
    kind: 'flag',
    default: false,
    sentence:
      'Issue the certificates of this server and of the webhook, into the Secrets core-cert and rukpak-webhook-certificate of the system namespace, and renew them; --tls-dir and --bundle-ca-file are not read.',
  },
  {
    name: 'provisioner-storage-dir',
    kind: 'text',
    placeholder: 'DIR',
    default: '/var/cache/bundles',
    sentence: 'Keep contents of bundles and uploads in DIR, which no other process has.',
  },
  {
    name: 'leader-elect',
    kind: 'flag',
    sentence:
      'Work only while this process holds the Lease core.rukpak.io of the system namespace; until then stand by, with everything read.',
  },
  {
    name: 'leader-elect-lease-duration',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 12,
    sentence:
      'How long after the last renewal another process may take that Lease. One that cannot renew it ends its work after two thirds of that time.',
  },
  {
    name: 'pod-name',
    kind: 'text',
    placeholder: 'NAME',
    sentence:
      'The pod that this process is, labelled core.rukpak.io/leader while it leads (default: the host name, without --kubeconfig).',
  },
  {
    name: 'shard',
    kind: 'text',
    placeholder: 'K/N',
    sentence:
      'Take care of the K-th of N parts of all BundleDeployments and Bundles, with a Lease for each part: by their names, or as their label core.rukpak.io/shard says. Only with --leader-elect.',
  },
  {
    name: 'shard-url',
    kind: 'text',
    placeholder: 'URL',
    sentence:
      'Where the other shards reach the contents of this process (default: the address of its pod, at the port of --http-bind-address).',
  },
  ...provisionerOptions,
  processLogOption,
  tracesOption,
];

/** Options of `longshore webhook`. */
export const webhookOptions: readonly OptionSpec[] = [
  ...sharedOptions,
  {
    name: 'bind-address',
    kind: 'text',
    placeholder: '[HOST]:PORT',
    default: ':9443',
    sentence: 'Where the API server is answered, over HTTPS.',
  },
  {
    name: 'external-address',
    kind: 'text',
    placeholder: 'URL',
    sentence:
      'Where the API server reaches that, as the webhook configurations are told (default: the Service rukpak-webhook-service of the system namespace).',
  },
  {
    name: 'tls-dir',
    kind: 'text',
    placeholder: 'DIR',
    default: '/tmp/k8s-webhook-server/serving-certs',
    sentence:
      'Folder of tls.crt, tls.key and ca.crt, the certificate to serve with; read again when they are replaced.',
  },
  {
    name: 'drain',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 10,
    sentence: 'How long to go on answering after SIGTERM, while /readyz says no, so that nobody is sent here any more.',
  },
  dependencyPolicyOption,
  requireServiceAccountOption,
  foreignClassOption,
  reviewedCatalogsOption,
  processLogOption,
  tracesOption,
];

/** Reads `[HOST]:PORT`; an absent host is every address of the machine.
 *  @throws TerminalError InvalidOption */
export function parseListenAddress(name: string, text: string): ListenAddress {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits !== undefined && port <= 65_535) return { host: bracketed ?? (plain || '::'), port };
  throw new TerminalError('InvalidOption', `--${name}: expected [HOST]:PORT, found "${text}"`);
}

function readShared(values: OptionValues, bindOption: string): ProcessConfig {
  const address = (name: string): ListenAddress => parseListenAddress(name, values[name] as string);
  return {
    kubeconfigPath: values['kubeconfig'] as string | undefined,
    systemNamespace: values['system-namespace'] as string | undefined,
    listen: address(bindOption),
    probes: address('health-probe-bind-address'),
    tlsDir: values['tls-dir'] as string,
    logLevel: readLogLevel(values),
    tracesEndpoint: readTracesEndpoint(values),
  };
}

function readLease(values: OptionValues): number | undefined {
  const seconds = values['leader-elect-lease-duration'] as number;
  if (seconds >= 3 && seconds <= 600) return values['leader-elect'] === true ? seconds * 1000 : undefined;
  throw new TerminalError('InvalidOption', `--leader-elect-lease-duration: expected 3 to 600, found ${seconds}`);
}

/** @throws TerminalError InvalidOption */
function readShard(values: OptionValues): Shard | undefined {
  const text = values['shard'] as string | undefined;
  if (text === undefined) return undefined;
  const [, index = 0, count = 0] = (/^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > count) {
    throw new TerminalError('InvalidOption', `--shard: expected K/N with K from 1 to N, such as 2/3, found "${text}"`);
  }
  if (values['leader-elect'] === true) return { index, count };
  throw new TerminalError('InvalidOption', '--shard: only with --leader-elect, so that each part has one leader');
}

/** @throws TerminalError InvalidOption */
export function readControllersConfig(values: OptionValues): ControllersConfig {
  const shared = readShared(values, 'http-bind-address');
  const storeDir = values['provisioner-storage-dir'] as string;
  return Object.freeze({
    ...shared,
    ...readProvisionerConfig(values),
    storeDir,
    externalAddress: readOrigin('http-external-address', values),
    caPath: (values['bundle-ca-file'] as string | undefined) ?? `${shared.tlsDir}/ca.crt`,
    isIssuing: values['issue-certificates'] as boolean,
    leaseMs: readLease(values),
    podName: values['pod-name'] as string | undefined,
    catalogListen: parseListenAddress('catalogs-bind-address', values['catalogs-bind-address'] as string),
    catalogAddress: readOrigin('catalogs-external-address', values),
    catalogDir: (values['catalogs-storage-dir'] as string | undefined) ?? `${storeDir}/catalogs`,
    shard: readShard(values),
    shardUrl: readOrigin('shard-url', values),
  });
}

/** @throws TerminalError InvalidOption */
export function readWebhookConfig(values: OptionValues): WebhookConfig {
  const seconds = values['drain'] as number;
  if (seconds > 300) throw new TerminalError('InvalidOption', `--drain: expected 0 to 300, found ${seconds}`);
  return Object.freeze({
    ...readShared(values, 'bind-address'),
    dependencyPolicy: readDependencyPolicy(values),
    isAccountRequired: values['require-service-account'] as boolean,
    foreignClasses: readForeignClasses(values),
    hasClusterCatalogs: values['cluster-catalogs'] as boolean,
    drainMs: seconds * 1000,
    externalAddress: readOrigin('external-address', values),
  });
}
