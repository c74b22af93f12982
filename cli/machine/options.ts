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
