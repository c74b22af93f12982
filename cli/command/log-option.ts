import type { LogLevel } from '../../src/base/index.ts';
import { type OptionSpec, type OptionValues, oneOf } from './options.ts';

const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

/** Of a command that a person starts. */
export const logLevelOption: OptionSpec = {
  name: 'log-level',
  kind: 'text',
  placeholder: 'LEVEL',
  default: 'error',
  environmentVariable: 'LONGSHORE_LOG_LEVEL',
  description:
    'Log level: debug, info, warn, error or silent. Logs are written to standard error, as JSON lines if it is not a terminal. SIGUSR2 toggles debug.',
};

/** The same, for processes without a terminal. */
export const processLogOption: OptionSpec = { ...logLevelOption, default: 'info' };

/** The level of `--log-level`.
 *  @throws TerminalError InvalidOption */
export function readLogLevel(values: OptionValues): LogLevel {
  return oneOf('log-level', values['log-level'] as string, logLevels);
}
