import { type AdmissionRequest, forbidden, type StatusCause, type StatusError } from '../core/index.ts';

/** 403 about the object of a request; one without a name yet goes by what its name will begin with. */
export function refusal(request: AdmissionRequest, why: string, causes?: readonly StatusCause[]): StatusError {
  const { resource, name, object } = request;
  const { name: ownName = '', generateName = '' } = object?.metadata ?? {};
  return forbidden({ ...resource, name: name || ownName || generateName }, why, causes);
}

/** One reason as it is, several in brackets. */
export function listed(reasons: readonly string[]): string {
  return reasons.length === 1 ? (reasons[0] ?? '') : `[${[...new Set(reasons)].join(', ')}]`;
}
