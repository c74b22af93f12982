import { badRequest } from '../core/index.ts';

/** A request on a resource, from its URL and method. */
export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** From the URL; empty for all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** Whether the path goes on after the subresource, as that of a proxy may. */
  readonly hasFurtherPath?: boolean;
  /** The one name that a list or watch selects: permission for that object is enough. */
  readonly selectedName?: string;
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
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
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
  if (name !== '') return pair[0];
  return pair[1] === 'list' && isTrue(query.get('watch')) ? 'watch' : pair[1];
}

function oldWatchVerb(method: string): string {
  return method === 'GET' || method === 'HEAD' ? 'watch' : `${method.toLowerCase()} of a watch`;
}

function checkName(name: string): void {
  const problem =
    name === '.' || name === '..'
      ? `may not be '${name}'`
      : (/[/%]/.exec(name)?.map((c) => `may not contain '${c}'`)[0] ?? '');
  if (problem !== '') throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${problem}`);
}

/** Takes `namespaces/NS/` off the front, unless the request is on the namespace itself. */
function splitNamespace(parts: readonly string[]): { readonly namespace: string; readonly rest: readonly string[] } {
  const [first, namespace = '', third] = parts;
  const isInside = first === 'namespaces' && third !== undefined && third !== 'status' && third !== 'finalize';
  return isInside ? { namespace, rest: parts.slice(2) } : { namespace: '', rest: parts };
}

function splitGroup(parts: readonly string[]): { group: string; version: string; rest: readonly string[] } | undefined {
  const [root, first = '', second = ''] = parts;
  if (root === 'api' && parts.length > 2) return { group: '', version: first, rest: parts.slice(2) };
  return root === 'apis' && parts.length > 3 ? { group: first, version: second, rest: parts.slice(3) } : undefined;
}

function selectedNameOf(query: URLSearchParams): string | undefined {
  const selector = query.get('fieldSelector');
  if (selector === null) return undefined;
  return selector
    .split(',')
    .map((term) => /^metadata\.name={1,2}([^=!\\]+)$/.exec(term)?.[1])
    .find((found) => found !== undefined);
}

function withSelectedName(info: ResourceRequest, query: URLSearchParams): ResourceRequest {
  const isCollection = info.name === '' && (info.verb === 'list' || info.verb === 'watch');
  const selectedName = isCollection ? selectedNameOf(query) : undefined;
  return selectedName === undefined ? info : { ...info, selectedName };
}

/** Reads method and path. Whether the resource exists is not looked at.
 *  @throws StatusError 400 for names that no object can have */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart);
  const split = splitGroup(parts);
  if (split === undefined) return { kind: 'path', verb: method.toLowerCase(), path };
  // The old form of a watch has a word before the resource, and watches single objects too.
  const isOldWatch = split.rest[0] === 'watch' && split.rest.length > 1;
  const { namespace, rest } = splitNamespace(isOldWatch ? split.rest.slice(1) : split.rest);
  const [plural = '', name = '', subresource = '', ...further] = rest;
  checkName(name);
  const verb = isOldWatch ? oldWatchVerb(method) : verbOf(method, name, query);
  const { group, version } = split;
  const target = { group, version, plural, namespace, name, subresource };
  const hasFurtherPath = further.length > 0;
  return withSelectedName({ kind: 'resource', verb, ...target, ...(hasFurtherPath && { hasFurtherPath }) }, query);
}
