import type { Logger as PinoLogger } from 'pino';

/** A constant message, facts as fields; `child` adds fields to every line. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'level'> & {
  child(fields: Readonly<Record<string, unknown>>): Logger;
};

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** JSON lines on `destination` (default: standard error). */
export async function createLogger(options: {
  readonly level: LogLevel;
  readonly destination?: NodeJS.WritableStream;
}): Promise<Logger> {
  // Not loaded if nothing is logged.
  const { pino } = await import('pino');
  const logger: Logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['token', 'password', '*.token', '*.password', 'authorization', '*.authorization'],
    },
    options.destination ?? process.stderr,
  );
  return logger;
}

/** For tests and for callers that were given no logger. */
export function silentLogger(): Logger {
  const ignore = (): void => {};
  const logger: Logger = {
    level: 'silent',
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: ignore,
    child: () => logger,
  };
  return logger;
}
