import { kubeconfigOption } from '../command/index.ts';

const own = {
  plan: {
    kind: 'flag',
    default: false,
    description: 'Only print which pods leave, in which order, and what holds them; change nothing.',
  },
  yes: {
    short: 'y',
    kind: 'flag',
    default: false,
    description: 'Do not ask.',
  },
  timeout: {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '10m',
    range: ['1s', '24h'],
    description: 'How long to wait until all pods have left.',
  },
} as const;

/** Options of `longshore node drain`. */
export const drainOptions: typeof kubeconfigOption & typeof own = { ...kubeconfigOption, ...own };
