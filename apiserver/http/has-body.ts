import type { HttpRequest } from './exchange.ts';

/** Whether a body follows the headers of a request. */
export function hasBody(request: HttpRequest): boolean {
  if (request.httpVersionMajor >= 2) {
    return (request as HttpRequest & { stream?: { endAfterHeaders?: boolean } }).stream?.endAfterHeaders !== true;
  }
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}
