import { type LogLevel, redactUrl, TerminalError } from '../../src/base/index.ts';
import { logLevelOption, type OptionValues } from '../command/index.ts';
import { type ClusterVersionConfig, clusterVersionOptions, readClusterVersionConfig } from './cluster-version.ts';
import { type MachinesConfig, readUpMachines, upMachineOptions } from './machines.ts';
import { type OlmConfig, readOlmConfig, upOlmOptions } from './olm.ts';
import { type ProvisionerConfig, provisionerOptions, readProvisionerConfig } from './provisioners.ts';

/** Every setting of `longshore up`, checked. */
export interface Config extends ProvisionerConfig, OlmConfig, ClusterVersionConfig, MachinesConfig {
  /** Undefined: everything in memory and in a temporary folder that is deleted when the process stops. */
  readonly dataDir: string | undefined;
  readonly port: number;
  readonly kubeconfigPath: string | undefined;
  /** The kubeconfig of the cluster to work on; undefined: an API server of our own. */
  readonly clusterPath: string | undefined;
  readonly contentPort: number;
  readonly catalogPort: number;
  /** Port of the web console; undefined: it is not served. */
  readonly consolePort: number | undefined;
  /** Whether the console is opened in the browser. */
  readonly isOpeningConsole: boolean;
  readonly systemNamespace: string;
  readonly isSimulating: boolean;
  /** Machines of the first MachineSet; undefined: no machines are managed. */
  readonly machines: number | undefined;
  /** Whether the examples of the documents are served. */
  readonly hasExamples: boolean;
  readonly logLevel: LogLevel;
  /** Undefined: no traces. */
  readonly tracesEndpoint: string | undefined;
}

/** Where traces go. */
export const tracesOption = {
  'traces-endpoint': {
    kind: 'text',
    placeholder: 'URL',
    environmentVariable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    description:
      'OpenTelemetry endpoint for traces (OTLP over HTTP, JSON). OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER and OTEL_RESOURCE_ATTRIBUTES are honored.',
  },
} as const;

/** The address of --traces-endpoint, without a slash at its end.
 *  @throws TerminalError InvalidOption for anything but an http(s) address, and for one with a login */
export function readTracesEndpoint(values: OptionValues<typeof tracesOption>): string | undefined {
  const text = values['traces-endpoint'];
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

const ownOptions = {
  'data-dir': {
    kind: 'text',
    placeholder: 'DIR',
    environmentVariable: 'LONGSHORE_DATA_DIR',
    description: 'Store the cluster and bundle contents in DIR. By default they are deleted when the process stops.',
  },
  port: {
    kind: 'number',
    placeholder: 'PORT',
    default: 0,
    range: [0, 65_535],
    description: 'Port of the Kubernetes API on 127.0.0.1; 0 selects a free port (with --data-dir the previous one).',
  },
  kubeconfig: {
    kind: 'text',
    placeholder: 'FILE',
    description: 'Write the kubeconfig to FILE (mode 0600) instead of the data folder.',
  },
  cluster: {
    kind: 'text',
    placeholder: 'FILE',
    description:
      'Use the cluster of this kubeconfig instead of the embedded API server. The webhook listens on 127.0.0.1: the API server must run on this machine.',
  },
  'content-port': {
    kind: 'number',
    placeholder: 'PORT',
    default: 0,
    range: [0, 65_535],
    description:
      'Port of the content server and uploads on 127.0.0.1; 0 selects a free port (with --data-dir the previous one).',
  },
  'catalog-port': {
    kind: 'number',
    placeholder: 'PORT',
    default: 0,
    range: [0, 65_535],
    description: 'Port of the catalog server on 127.0.0.1; 0 selects a free port (with --data-dir the previous one).',
  },
  console: {
    kind: 'flag',
    default: true,
    description: 'Do not serve the web console.',
  },
  'console-port': {
    kind: 'number',
    placeholder: 'PORT',
    default: 0,
    range: [0, 65_535],
    description: 'Port of the web console on 127.0.0.1; 0 selects a free port (with --data-dir the previous one).',
  },
  open: { kind: 'flag', default: false, description: 'Open the web console in the browser.' },
  'system-namespace': {
    kind: 'text',
    placeholder: 'NAME',
    default: 'rukpak-system',
    description: 'Namespace of pull secrets, and of objects without a namespace.',
  },
  simulate: {
    kind: 'flag',
    default: true,
    description:
      'Do not simulate workloads. By default Deployments, Jobs and others get the status that they have on a healthy cluster.',
  },
  machines: {
    kind: 'number',
    placeholder: 'COUNT',
    range: [0, 1000],
    description:
      'Manage machines on a simulated provider, or on that of --actuator, and start with COUNT of them: the MachineSet workers in the namespace openshift-machine-api, whose nodes run pods.',
  },
  examples: {
    kind: 'flag',
    default: true,
    description:
      'Do not serve the examples of the documentation: images on 127.0.0.1:15000, git repositories on 127.0.0.1:15001. They are never served with --cluster.',
  },
} as const;

/** Options of `longshore up`. */
export const upOptions: typeof ownOptions &
  typeof upOlmOptions &
  typeof clusterVersionOptions &
  typeof upMachineOptions &
  typeof provisionerOptions &
  typeof logLevelOption &
  typeof tracesOption = {
  ...ownOptions,
  ...upOlmOptions,
  ...clusterVersionOptions,
  ...upMachineOptions,
  ...provisionerOptions,
  ...logLevelOption,
  ...tracesOption,
};

/** The frozen settings from parsed options.
 *  @throws TerminalError InvalidOption */
export function readConfig(values: OptionValues<typeof upOptions>): Config {
  return Object.freeze({
    ...readProvisionerConfig(values),
    // An external cluster may have Operator Lifecycle Manager.
    ...readOlmConfig(values, values.cluster === undefined),
    ...readClusterVersionConfig(values),
    ...readUpMachines(values, values.machines !== undefined),
    dataDir: values['data-dir'],
    port: values.port,
    kubeconfigPath: values.kubeconfig,
    clusterPath: values.cluster,
    contentPort: values['content-port'],
    catalogPort: values['catalog-port'],
    consolePort: values.console ? values['console-port'] : undefined,
    isOpeningConsole: values.open,
    systemNamespace: values['system-namespace'],
    isSimulating: values.simulate,
    machines: values.machines,
    // Content that other users of this machine could replace stays away from a real cluster.
    hasExamples: values.examples && values.cluster === undefined,
    logLevel: values['log-level'],
    tracesEndpoint: readTracesEndpoint(values),
  });
}
