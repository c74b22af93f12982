import { badRequest } from './status-error.ts';

/** A request on a resource, as its URL and method say. */
export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** As the URL says; empty for all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** A request on a path that is no resource: health, discovery, OpenAPI. */
export interface PathRequest {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

export type RequestInfo = ResourceRequest | PathRequest;

const verbs: Readonly<Record<string, readonly [withName: string, withoutName: string]>> = {
  GET: ['get', 'list'],
  HEAD: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

/** Booleans of query parameters: present and empty is true, so is anything but `false` and `0`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0';
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (thrown) {
    throw badRequest(`invalid URL escape in ${JSON.stringify(part)}`, thrown);
  }
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  const pair = Object.hasOwn(verbs, method) ? verbs[method] : undefined;
  if (pair === undefined) return method.toLowerCase();
  const isRead = pair[0] === 'get';
  if (isRead && isTrue(query.get('watch'))) return 'watch';
  return name === '' ? pair[1] : pair[0];
}

function checkName(name: string): void {
  const problem =
    name === '.' || name === '..'
      ? `may not be '${name}'`
      : (/[/%]/.exec(name)?.map((c) => `may not contain '${c}'`)[0] ?? '');
  if (problem !== '') throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problem}`);
}

/** Reads method and path. Whether the resource exists is not looked at.
 *  @throws StatusError 400 for names that no object can have */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart);
  const isCore = parts[0] === 'api' && parts.length > 2;
  const isGroup = parts[0] === 'apis' && parts.length > 3;
  if (!isCore && !isGroup) return { kind: 'path', verb: method.toLowerCase(), path };
  const [group, version] = isCore ? ['', parts[1]] : [parts[1], parts[2]];
  const rest = parts.slice(isCore ? 2 : 3);
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize';
  const namespace = isInNamespace ? (rest[1] ?? '') : '';
  const [plural = '', name = '', ...sub] = isInNamespace ? rest.slice(2) : rest;
  checkName(name);
  const verb = verbOf(method, name, query);
  return {
    kind: 'resource',
    verb,
    group: group ?? '',
    version: version ?? '',
    plural,
    namespace,
    name,
    subresource: sub.join('/'),
  };
}
