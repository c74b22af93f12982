import { type FieldError, invalidField } from '../../../../src/schema/index.ts';

/** A path that never steps up. */
export function noBackstepErrors(field: string, path: string): FieldError[] {
  return path.split('/').includes('..') ? [invalidField(field, path, "must not contain '..'")] : [];
}

/** A relative path that stays below where it starts. */
export function descendingPathErrors(field: string, path: string): FieldError[] {
  const errors = path.startsWith('/') ? [invalidField(field, path, 'must be a relative path')] : [];
  return [...errors, ...noBackstepErrors(field, path)];
}

/** A relative path that stays below where it starts, and leaves the names that begin with two dots to the kubelet. */
export function fileInVolumeErrors(field: string, path: string): FieldError[] {
  const errors = descendingPathErrors(field, path);
  const isReserved = path.startsWith('..') && !path.startsWith('../');
  return isReserved ? [...errors, invalidField(field, path, "must not start with '..'")] : errors;
}
