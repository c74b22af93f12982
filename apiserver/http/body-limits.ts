import { StatusError } from '../core/index.ts';

/** Bytes of a request's body. */
export const maxBodyBytes: number = 3 * 1024 * 1024;

/** Members and items of a body: those of the largest object, and of its managedFields. */
export const maxBodyValues = 250_000;

function tooLarge(why: string): StatusError {
  const message = `Request entity too large: ${why}`;
  return new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
}

export function tooManyBytes(): StatusError {
  return tooLarge(`limit is ${maxBodyBytes}`);
}

export function tooManyValues(): StatusError {
  return tooLarge(`the body has more than ${maxBodyValues} fields and items`);
}
