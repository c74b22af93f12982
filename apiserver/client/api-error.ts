import { isJsonObject, type JsonObject } from '../../src/base/index.ts';

/** An answer of 400 or more. */
export class ApiError extends Error {
  readonly code: number;
  /** `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`, …; empty where the server gives none. */
  readonly reason: string;
  /** The whole `Status`, where there is one. */
  readonly status: JsonObject | undefined;

  constructor(code: number, body: string) {
    const status = statusIn(body);
    super(typeof status?.['message'] === 'string' ? status['message'] : `${code}: ${body.trim()}`);
    this.name = 'ApiError';
    this.code = code;
    this.reason = typeof status?.['reason'] === 'string' ? status['reason'] : '';
    this.status = status;
  }
}

function statusIn(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) && value['kind'] === 'Status' ? value : undefined;
  } catch {
    return undefined; // a plain text
  }
}
