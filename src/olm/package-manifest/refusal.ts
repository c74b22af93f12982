import type { JsonObject } from '../../base/index.ts';
import type { RequestAttributes, RequestUser } from '../../extension-server/index.ts';
import { packagesGroup, packagesResource } from './api.ts';

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  429: 'TooManyRequests',
  500: 'InternalError',
};
const qualified = `${packagesResource}.${packagesGroup}`;

/** An answer that is no success. */
export class Refusal extends Error {
  readonly code: number;
  readonly #details: JsonObject | undefined;

  constructor(code: number, message: string, details?: JsonObject) {
    super(message);
    this.code = code;
    this.#details = details;
  }

  /** As Kubernetes has it. */
  get status(): JsonObject {
    const { code, message } = this;
    const details = this.#details === undefined ? {} : { details: this.#details };
    const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
    return { ...head, message, reason: reasons[code] ?? 'InternalError', ...details, code };
  }
}

/** No package of that name. */
export function noSuchPackage(name: string): Refusal {
  const details = { name, group: packagesGroup, kind: packagesResource };
  return new Refusal(404, `${qualified} ${JSON.stringify(name)} not found`, details);
}

/** Of requests that change something, and of watches. */
export function notSupported(verb: string): Refusal {
  const details = { group: packagesGroup, kind: packagesResource };
  return new Refusal(405, `${verb} is not supported on resources of kind "${qualified}"`, details);
}

/** The user lacks a permission. */
export function forbidden({ username }: RequestUser, attributes: RequestAttributes): Refusal {
  if (attributes.kind === 'path') {
    return new Refusal(403, `forbidden: User "${username}" cannot ${attributes.verb} path "${attributes.path}"`);
  }
  const { verb, resource, subresource, namespace, name } = attributes;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const place = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = name === '' ? qualified : `${qualified} "${name}"`;
  const why = `User "${username}" cannot ${verb} resource "${full}" in API group "${packagesGroup}" ${place}`;
  return new Refusal(403, `${what} is forbidden: ${why}`, { group: packagesGroup, kind: packagesResource });
}
