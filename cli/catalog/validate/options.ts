import type { OptionSpec } from '../../command/index.ts';

/** Options of `catalog validate`. */
export const validateOptions: readonly OptionSpec[] = [
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    placeholder: 'text|json|yaml',
    default: 'text',
    description: 'Output format; json and yaml contain passed, the message of opm validate, and every finding.',
  },
  { name: 'strict', kind: 'flag', default: false, description: 'Treat warnings as errors.' },
  {
    name: 'verbose',
    short: 'v',
    kind: 'flag',
    default: false,
    description: 'Show every finding, not only the first of each kind.',
  },
];
