import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import {
  createLogger,
  isJsonObject,
  type JsonObject,
  type Logger,
  type LogLevel,
  parseJson,
} from '../../src/base/index.ts';

const names: ReadonlyMap<number, string> = new Map([
  [20, 'debug'],
  [30, 'info'],
  [40, 'warn'],
  [50, 'error'],
]);
const colours: Readonly<Record<string, 'red' | 'yellow' | 'green' | 'gray'>> = {
  error: 'red',
  warn: 'yellow',
  info: 'green',
  debug: 'gray',
};

function shownValue(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value);
}

function stackIn({ stack, err }: JsonObject): string {
  const found = stack ?? (isJsonObject(err) ? err['stack'] : undefined);
  // Text from elsewhere may be in it: nothing that a terminal would act upon.
  return typeof found === 'string' ? `\n${found.replaceAll(/[^\n\P{Cc}]/gu, ' ')}` : '';
}

/** A line of the log as people read it: time, level, what happened, facts; a stack on lines of its own. Anything else stays as it is. */
export function readableLine(line: string, isColoured: boolean): string {
  let entry: unknown;
  try {
    entry = parseJson('log', line);
  } catch {
    return line;
  }
  if (!isJsonObject(entry)) return line;
  const { level, time, msg, stack: _stack, err: _err, ...facts } = entry;
  const name = names.get(Number(level)) ?? String(Number(level));
  const colour = colours[name];
  const mark =
    isColoured && colour !== undefined ? styleText(colour, name.padEnd(5), { validateStream: false }) : name.padEnd(5);
  const shown = Object.entries(facts).map(([key, value]) => `${key}=${shownValue(value)}`);
  const clock = typeof time === 'string' ? time.slice(11, 23) : '';
  const text = typeof msg === 'string' ? msg : '';
  return `${[clock, mark, text, ...shown].join(' ')}${stackIn(entry)}\n`;
}

function readable(stream: NodeJS.WriteStream): Writable {
  const isColoured = stream.hasColors();
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      stream.write(readableLine(String(chunk), isColoured), () => done());
    },
  });
}

const numbers = new Map([...names].map(([number, name]) => [name, number]));

/** Takes each line of the log. */
export interface LineTaker {
  add(line: string): void;
}

/** Passes all lines on to `taker`, and to the stream those that `isShown` is true for. */
function copied(stream: NodeJS.WritableStream, taker: LineTaker, isShown: (level: number) => boolean): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      const line = String(chunk);
      taker.add(line);
      if (isShown(Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? 0))) stream.write(line, () => done());
      else done();
    },
  });
}

/** The log of a process, on standard error: JSON lines, or lines for people where that is a terminal. SIGUSR2 switches to the level debug and back,
 *  without a restart. SIGUSR1 does nothing, so that it does not open the debugger of Node.js, where anybody on the machine could give orders.
 *  @param taker gets the lines from `info` on, whatever is shown */
export async function openProcessLog(level: LogLevel, taker?: LineTaker): Promise<Logger> {
  const { stderr } = process;
  let shown: LogLevel = level;
  const isShown = (number: number): boolean => number >= (numbers.get(shown) ?? Number.POSITIVE_INFINITY);
  const writtenAt = (): LogLevel => (taker === undefined || shown === 'debug' ? shown : 'info');
  const stream = stderr.isTTY ? readable(stderr) : stderr;
  const destination = taker === undefined ? stream : copied(stream, taker, isShown);
  const log = await createLogger({ level: writtenAt(), destination });
  const usual = level === 'debug' ? 'info' : level;
  process.on('SIGUSR2', () => {
    shown = shown === 'debug' ? usual : 'debug';
    log.level = writtenAt();
    log.warn({ logLevel: shown }, 'log level changed');
  });
  process.on('SIGUSR1', () => {
    log.warn({ hint: 'SIGUSR2 switches the log to debug and back' }, 'SIGUSR1 does nothing');
  });
  return log;
}
