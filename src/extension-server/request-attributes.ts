/** What a request does, in the words of RBAC. */
export type RequestAttributes =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

const verbs: Readonly<Record<string, readonly [withName: string, withoutName: string]>> = {
  GET: ['get', 'list'],
  HEAD: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  const pair = Object.hasOwn(verbs, method) ? verbs[method] : undefined;
  if (pair === undefined) return method.toLowerCase();
  if (name !== '') return pair[0];
  return pair[1] === 'list' && isTrue(query.get('watch')) ? 'watch' : pair[1];
}

function split(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const at = url.indexOf('?');
  if (at < 0) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, at), query: new URLSearchParams(url.slice(at + 1)) };
}

/** Takes `namespaces/NS/` off the front. */
function splitNamespace(parts: readonly string[]): { readonly namespace: string; readonly rest: readonly string[] } {
  const [first, namespace = '', ...rest] = parts;
  return first === 'namespaces' && rest.length > 0 ? { namespace, rest } : { namespace: '', rest: parts };
}

/** Reads method and URL of a request below `/apis`; any other is a path.
 *  @throws URIError for an invalid escape */
export function requestAttributes(method: string, url: string): RequestAttributes {
  const { path, query } = split(url);
  const parts = path.split('/').filter((part) => part !== '');
  const [root, group = '', version = '', ...below] = parts.map(decodeURIComponent);
  if (root !== 'apis' || below.length === 0) return { kind: 'path', verb: method.toLowerCase(), path };
  const { namespace, rest } = splitNamespace(below);
  const [resource = '', name = '', ...subresource] = rest;
  const verb = verbOf(method, name, query);
  return { kind: 'resource', verb, group, version, resource, subresource: subresource.join('/'), namespace, name };
}
