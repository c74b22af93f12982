import { documentOption, kubeconfigOption } from '../command/index.ts';

const namespaceOption = {
  namespace: {
    short: 'n',
    kind: 'text',
    placeholder: 'NAME',
    default: 'openshift-machine-api',
    description: 'Namespace of the machines.',
  },
} as const;

/** Options of all commands of the group. */
export const machineOptions: typeof kubeconfigOption & typeof documentOption & typeof namespaceOption = {
  ...kubeconfigOption,
  ...documentOption,
  ...namespaceOption,
};

const yesOption = {
  yes: {
    short: 'y',
    kind: 'flag',
    default: false,
    description: 'Do not ask.',
  },
} as const;

const waitOptions = {
  wait: {
    kind: 'flag',
    default: false,
    description: 'Wait until the machine is deleted, and print what holds it.',
  },
  timeout: {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '1h',
    range: ['1s', '24h'],
    description: 'How long --wait waits.',
  },
} as const;

const removeOption = {
  remove: {
    kind: 'text',
    placeholder: 'HOOK',
    description:
      'Remove this hook from a machine that is being deleted, although its owner has not: an Event of type Warning records it.',
  },
} as const;

/** Options of `longshore machine delete`. */
export const deleteOptions: typeof kubeconfigOption & typeof namespaceOption & typeof yesOption & typeof waitOptions = {
  ...kubeconfigOption,
  ...namespaceOption,
  ...yesOption,
  ...waitOptions,
};

/** Options of `longshore machine hooks`. */
export const hooksOptions: typeof machineOptions & typeof yesOption & typeof removeOption = {
  ...machineOptions,
  ...yesOption,
  ...removeOption,
};
