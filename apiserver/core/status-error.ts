import type { JsonObject } from '../../src/base/index.ts';
import type { FieldError } from '../../src/schema/index.ts';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusFailure {
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message: string;
  readonly details?: StatusDetails | undefined;
  /** `metadata.continue` of a 410. */
  readonly continueToken?: string | undefined;
}

/** What any step of the request pipeline throws to answer with a `Status` of kind Failure. */
export class StatusError extends Error {
  readonly failure: StatusFailure;

  constructor(failure: StatusFailure, options?: { readonly cause?: unknown }) {
    super(failure.message, options);
    this.name = 'StatusError';
    this.failure = failure;
  }

  toStatus(): JsonObject {
    const { code, reason, message, details, continueToken } = this.failure;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: continueToken === undefined ? {} : { continue: continueToken },
      status: 'Failure',
      message,
      ...(reason === undefined || reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details: details as unknown as JsonObject }),
      code,
    };
  }
}

/** `pods`, `deployments.apps` */
export function groupResource(type: { readonly group: string; readonly plural: string }): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

/** `Pod`, `Deployment.apps` */
export function groupKind(type: { readonly group: string; readonly kind: string }): string {
  return type.group === '' ? type.kind : `${type.kind}.${type.group}`;
}

function resourceDetails(type: { readonly group: string; readonly plural: string }, name: string): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(type.group === '' ? {} : { group: type.group }), kind: type.plural };
}

type Resource = { readonly group: string; readonly plural: string };

export function badRequest(message: string, cause?: unknown): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message }, { cause });
}

export function notFound(type: Resource, name: string): StatusError {
  const message = `${groupResource(type)} "${name}" not found`;
  return new StatusError({ code: 404, reason: 'NotFound', message, details: resourceDetails(type, name) });
}

export function alreadyExists(type: Resource, name: string): StatusError {
  const message = `${groupResource(type)} "${name}" already exists`;
  return new StatusError({ code: 409, reason: 'AlreadyExists', message, details: resourceDetails(type, name) });
}

export function conflict(type: Resource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${groupResource(type)} "${name}": ${why}`;
  return new StatusError({ code: 409, reason: 'Conflict', message, details: resourceDetails(type, name) });
}

export function forbidden(
  object: Resource & { readonly name: string },
  why: string,
  causes?: readonly StatusCause[],
): StatusError {
  const { name } = object;
  const subject = name === '' ? groupResource(object) : `${groupResource(object)} "${name}"`;
  const details = { ...resourceDetails(object, name), ...(causes === undefined ? {} : { causes }) };
  return new StatusError({ code: 403, reason: 'Forbidden', message: `${subject} is forbidden: ${why}`, details });
}

/** Of the violations that an error reports: each may show the whole value, and there may be one for each item of it. */
const maxViolationCharacters = 1024 * 1024;

/** The first violations, as far as there is room. */
function reportedOf(errors: readonly FieldError[]): readonly FieldError[] {
  let left = maxViolationCharacters;
  return errors.filter(({ field, message }, index) => {
    left -= field.length + message.length;
    return index === 0 || left > 0;
  });
}

/** 422 with every violation, in order, duplicates dropped; of very many the first. */
export function invalid(
  type: { readonly group: string; readonly kind: string },
  name: string,
  violations: readonly FieldError[],
): StatusError {
  const errors = reportedOf(violations);
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const causes = errors.map(({ field, reason, message }) => ({ reason, message, field }));
  const group = type.group === '' ? {} : { group: type.group };
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `${groupKind(type)} "${name}" is invalid: ${list}`,
    details: { ...(name === '' ? {} : { name }), ...group, ...(type.kind === '' ? {} : { kind: type.kind }), causes },
  });
}

export function internalError(message: string, cause?: unknown): StatusError {
  return new StatusError(
    {
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${message}`,
      details: { causes: [{ message }] },
    },
    { cause },
  );
}
