import { constants } from 'node:os';

interface ErrorOptionsWithCause {
  readonly cause?: unknown;
}

abstract class PlatformError extends Error {
  /** CamelCase; becomes the reason of the condition that reports this error. */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptionsWithCause) {
    super(message, options);
    this.reason = reason;
    this.name = new.target.name;
  }
}

/** Worth trying again: the caller backs off and retries. */
export class TransientError extends PlatformError {
  /** The wait that the server requested (for instance by `Retry-After`), if any. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: string, message: string, options?: ErrorOptionsWithCause & { readonly retryAfterMs?: number }) {
    super(reason, message, options);
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** Not a fault: something else must happen first. Requeued after `afterMs`, or when a watch reports a change. */
export class WaitingError extends PlatformError {
  readonly afterMs: number;

  constructor(reason: string, message: string, options: ErrorOptionsWithCause & { readonly afterMs: number }) {
    super(reason, message, options);
    this.afterMs = options.afterMs;
  }
}

/** Final until the object's spec, or what it refers to, changes. */
export class TerminalError extends PlatformError {}

/** `ENOENT: no such file or directory, open '/a/b'`, as Node.js writes it. */
const systemCall = /^[A-Z][A-Z\d_]*: (.+?), \w+(?: '.*)?$/s;

/** An exhausted quota has neither a code nor a text in Node.js. */
function isQuotaExhausted(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown as NodeJS.ErrnoException).errno === -constants.errno.EDQUOT;
}

/** What the operating system refused, without the code, the call and the path that Node.js adds; undefined for other errors. */
function systemProblem(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('syscall' in thrown)) return undefined;
  if (isQuotaExhausted(thrown)) return 'disk quota exceeded';
  return systemCall.exec(thrown.message)?.[1];
}

const fullCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
const shortageCodes: ReadonlySet<string> = new Set([...fullCodes, 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EROFS']);
/** SQLite's own numbers: a full disk; no memory, input and output, no file can be opened. */
const fullNumber = 13;
const shortageNumbers: ReadonlySet<number> = new Set([fullNumber, 7, 10, 14]);

function codeOf(thrown: unknown): string {
  if (isQuotaExhausted(thrown)) return 'EDQUOT';
  return thrown instanceof Error ? String((thrown as NodeJS.ErrnoException).code) : '';
}

/** The primary result code of an error of SQLite; 0 for any other. */
function sqliteNumber(thrown: unknown): number {
  const number: unknown = thrown instanceof Error && 'errcode' in thrown ? thrown.errcode : 0;
  return typeof number === 'number' ? number & 0xff : 0;
}

/** Whether a disk has no room for what was to be written. */
export function isDiskFull(thrown: unknown): boolean {
  return fullCodes.has(codeOf(thrown)) || sqliteNumber(thrown) === fullNumber;
}

/** Whether this machine lacks something, such as room on a disk or open files: that is no fault of what was read, and may be over at the next try. */
export function isMachineShortage(thrown: unknown): boolean {
  return shortageCodes.has(codeOf(thrown)) || shortageNumbers.has(sqliteNumber(thrown));
}

/** What is wrong with a file that the caller names itself: `no such file or directory`. */
export function fileProblem(thrown: unknown): string {
  return systemProblem(thrown) ?? errorMessage(thrown);
}

/** The text of anything that was thrown, for a message to the user; never `{}` or `[object Object]`. Of a file: `/a/b: no such file or directory`. */
export function errorMessage(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return thrown.errors.map(errorMessage).join('; ');
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? thrown : JSON.stringify(thrown);
  const problem = systemProblem(thrown);
  const { path } = thrown as NodeJS.ErrnoException;
  if (problem === undefined) return thrown.message;
  return path === undefined ? problem : `${path}: ${problem}`;
}
