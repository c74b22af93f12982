import { readFile } from 'node:fs/promises';
import type { MachinesSettings } from '../../manager/index.ts';
import { TerminalError } from '../../src/base/index.ts';
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
  return { program: actuator };
}

function readSettings(values: Values): MachinesSettings {
  const { 'delete-annotation': deleteAnnotation } = values;
  if (deleteAnnotation !== 'Prioritise' && deleteAnnotation !== 'Delete') {
    return refuse(`--delete-annotation: expected Prioritise or Delete, found "${deleteAnnotation}"`);
  }
  return { provider: providerOf(values), deleteAnnotation };
}

/** The settings of machines from the options of `longshore up`; without `--actuator` the provider is simulated.
 *  @throws TerminalError InvalidOption */
export function readUpMachines(values: Values, hasMachines: boolean): MachinesConfig {
  if (!hasMachines && values.actuator !== undefined) refuse('--actuator: only with --machines');
  return { machineSettings: hasMachines ? readSettings(values) : undefined };
}

/** The settings of machines from the options of `longshore controllers`. Nodes of a real cluster are not simulated.
 *  @throws TerminalError InvalidOption */
export function readControllersMachines(values: OptionValues<typeof controllersMachineOptions>): MachinesConfig {
  if (values.machines && values.actuator === undefined) {
    refuse('--machines: expected --actuator with the provider of the machines, found none');
  }
  return readUpMachines(values, values.machines);
}
