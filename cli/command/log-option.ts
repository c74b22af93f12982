/** Log level of a command that a user starts. */
export const logLevelOption = {
  'log-level': {
    kind: 'text',
    placeholder: 'LEVEL',
    default: 'error',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    environmentVariable: 'LONGSHORE_LOG_LEVEL',
    description:
      'Log level: debug, info, warn, error or silent. Logs are written to standard error, as JSON lines if it is not a terminal. SIGUSR2 toggles debug.',
  },
} as const;

/** Log level of a process without a terminal. */
export const processLogOption: {
  readonly 'log-level': Omit<(typeof logLevelOption)['log-level'], 'default'> & { readonly default: 'info' };
} = { 'log-level': { ...logLevelOption['log-level'], default: 'info' } };
