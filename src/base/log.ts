import { type Logger as PinoLogger, pino } from 'pino';

/** A constant message, facts as fields; `child` adds fields to every line. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'level'> & {
  child(fields: Readonly<Record<string, unknown>>): Logger;
};

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** JSON lines on `destination` (default: standard error). */
export function createLogger(options: {
  readonly level: LogLevel;
  readonly destination?: NodeJS.WritableStream;
}): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['token', 'password', '*.token', '*.password', 'authorization', '*.authorization'],
    },
    options.destination ?? process.stderr,
  );
}

/** For tests and for callers that were given no logger. */
export function silentLogger(): Logger {
  return createLogger({ level: 'silent' });
}
