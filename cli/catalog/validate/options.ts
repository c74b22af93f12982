/** Options of `catalog validate`. */
export const validateOptions = {
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'text|json|yaml',
    default: 'text',
    description: 'Output format; json and yaml contain passed, the message of opm validate, and every finding.',
  },
  strict: { kind: 'flag', default: false, description: 'Treat warnings as errors.' },
  verbose: {
    short: 'v',
    kind: 'flag',
    default: false,
    description: 'Show every finding, not only the first of each kind.',
  },
} as const;
