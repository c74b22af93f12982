import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { MachinesSettings, ReadyHook } from '../../manager/index.ts';
import { fileProblem, parseGoDuration, TerminalError } from '../../src/base/index.ts';
import type { OptionValues } from '../command/index.ts';

/** The settings of machines, checked. */
export interface MachinesConfig {
  /** Undefined: the kinds of machines are left alone. */
  readonly machineSettings: MachinesSettings | undefined;
}

const actuatorOptions = {
  actuator: {
    kind: 'text',
    placeholder: 'URL|PROGRAM',
    description:
      'The provider of machines: the URL of a server (http:// or https://), or the path of a program, see docs/actuators.md.',
  },
  'actuator-token-file': {
    kind: 'text',
    placeholder: 'FILE',
    description: 'File with the bearer token for --actuator, read before each request.',
  },
  'delete-annotation': {
    kind: 'text',
    placeholder: 'Prioritise|Delete',
    default: 'Prioritise',
    description:
      'What the annotation machine.openshift.io/delete-machine does: its set deletes the machine first when it scales down, or the machine is deleted.',
  },
  'machine-hook': {
    kind: 'list',
    placeholder: 'NAME',
    description:
      'Run this hook for all machines, see docs/machine-hooks.md: replacement, ordered-drain, volume-detach or log-flush=DURATION; may be repeated.',
  },
  'etcd-endpoint': {
    kind: 'list',
    placeholder: 'URL',
    description:
      'Client URL of a member of the etcd of the control plane: its machines are drained when their members are replaced; may be repeated.',
  },
  'etcd-members': {
    kind: 'number',
    placeholder: 'COUNT',
    default: 3,
    range: [1, 9],
    description: 'How many voting members that etcd has.',
  },
  'etcd-tls-dir': {
    kind: 'text',
    placeholder: 'DIR',
    description: 'Folder with ca.crt, tls.crt and tls.key, the client certificate for --etcd-endpoint.',
  },
} as const;

const controllersMachines = {
  machines: {
    kind: 'flag',
    default: false,
    description:
      'Reconcile Machines, MachineSets and MachineHealthChecks with the provider of --actuator, and drain nodes.',
  },
} as const;

/** Options of `longshore up`, beside the number of machines. */
export const upMachineOptions: typeof actuatorOptions = actuatorOptions;

/** Options of `longshore controllers`. */
export const controllersMachineOptions: typeof controllersMachines & typeof actuatorOptions = {
  ...controllersMachines,
  ...actuatorOptions,
};

type Values = OptionValues<typeof actuatorOptions>;

function refuse(text: string): never {
  throw new TerminalError('InvalidOption', text);
}

function providerOf({ actuator, 'actuator-token-file': tokenFile }: Values): MachinesSettings['provider'] {
  if (actuator === undefined) return undefined;
  const isUrl = /^https?:\/\//.test(actuator);
  if (isUrl && !URL.canParse(actuator)) refuse(`--actuator ${actuator}: expected http://HOST or https://HOST`);
  if (isUrl) return { url: actuator, token: tokenFile === undefined ? undefined : () => readFile(tokenFile, 'utf8') };
  if (tokenFile !== undefined) refuse('--actuator-token-file: only with a URL as --actuator');
  return { program: actuator, environment: process.env };
}

const plainHooks: readonly string[] = ['replacement', 'ordered-drain', 'volume-detach'];

function readHook(text: string): ReadyHook {
  if (plainHooks.includes(text)) return { name: text as 'replacement' };
  const [, duration] = /^log-flush=(.+)$/.exec(text) ?? [];
  const nanoseconds = duration === undefined ? undefined : parseGoDuration(duration);
  if (nanoseconds !== undefined && nanoseconds > 0n) {
    return { name: 'log-flush', delaySeconds: Number(nanoseconds) / 1e9 };
  }
  return refuse(
    `--machine-hook ${text}: expected ${plainHooks.join(', ')} or log-flush=DURATION, such as log-flush=60s`,
  );
}

function readPem(folder: string, name: string): string {
  try {
    return readFileSync(`${folder}/${name}`, 'utf8');
  } catch (thrown) {
    return refuse(`--etcd-tls-dir ${folder}: ${name}: ${fileProblem(thrown)}`);
  }
}

function readEtcd(values: Values): MachinesSettings['etcd'] {
  const { 'etcd-endpoint': endpoints, 'etcd-members': desiredMembers, 'etcd-tls-dir': folder } = values;
  if (endpoints.length === 0)
    return folder === undefined ? undefined : refuse('--etcd-tls-dir: only with --etcd-endpoint');
  const wrong = endpoints.find((url) => !/^https?:\/\//.test(url) || !URL.canParse(url));
  if (wrong !== undefined) refuse(`--etcd-endpoint ${wrong}: expected http://HOST:PORT or https://HOST:PORT`);
  if (folder === undefined) return { endpoints, desiredMembers, tls: undefined };
  const [ca, cert, key] = [readPem(folder, 'ca.crt'), readPem(folder, 'tls.crt'), readPem(folder, 'tls.key')];
  return { endpoints, desiredMembers, tls: { ca, cert, key } };
}

function readSettings(values: Values): MachinesSettings {
  const { 'delete-annotation': deleteAnnotation } = values;
  if (deleteAnnotation !== 'Prioritise' && deleteAnnotation !== 'Delete') {
    return refuse(`--delete-annotation: expected Prioritise or Delete, found "${deleteAnnotation}"`);
  }
  const hooks = values['machine-hook'].map(readHook);
  // A release sets it in the manifest of the Deployment.
  const releaseVersion = process.env['RELEASE_VERSION'];
  return { provider: providerOf(values), deleteAnnotation, hooks, etcd: readEtcd(values), releaseVersion };
}

/** The settings of machines from the options of `longshore up`; without `--actuator` the provider is simulated.
 *  @throws TerminalError InvalidOption */
export function readUpMachines(values: Values, hasMachines: boolean): MachinesConfig {
  if (!hasMachines && values.actuator !== undefined) refuse('--actuator: only with --machines');
  return { machineSettings: hasMachines ? readSettings(values) : undefined };
}

/** The settings of machines from the options of `longshore controllers`. Nodes of a real cluster are not simulated. Each shard has a leader of its own: two
 *  of them would both create the machines of a set.
 *  @throws TerminalError InvalidOption */
export function readControllersMachines(
  values: OptionValues<typeof controllersMachineOptions>,
  shardIndex = 1,
): MachinesConfig {
  if (values.machines && values.actuator === undefined) {
    refuse('--machines: expected --actuator with the provider of the machines, found none');
  }
  if (values.machines && shardIndex > 1) refuse(`--machines: expected the first shard, found shard ${shardIndex}`);
  return readUpMachines(values, values.machines);
}
