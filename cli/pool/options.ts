import { documentOption, kubeconfigOption } from '../command/index.ts';

/** Options of all commands of the group. */
export const poolOptions: typeof kubeconfigOption & typeof documentOption = { ...kubeconfigOption, ...documentOption };

const waitOptions = {
  wait: { kind: 'flag', default: false, description: 'Wait until all nodes are updated.' },
  timeout: { kind: 'duration', placeholder: 'DURATION', default: '1h', description: 'How long --wait waits.' },
} as const;

/** Options of `pool status`. */
export const poolStatusOptions: typeof poolOptions & typeof waitOptions = { ...poolOptions, ...waitOptions };
