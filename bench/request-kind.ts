interface Asked {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
}

interface Place {
  readonly resource: string;
  readonly isOne: boolean;
}

/** The resource of a path of the Kubernetes API; undefined for discovery. */
function placeOf(pathname: string): Place | undefined {
  const parts = pathname.split('/').slice(1);
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const within = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  const [plural, name, subresource] = within;
  if (plural === undefined) return undefined;
  return { resource: subresource === undefined ? plural : `${plural}/${subresource}`, isOne: name !== undefined };
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

function verbOf({ method, contentType }: Asked, query: URLSearchParams, isOne: boolean): string {
  if (method === 'GET' && query.has('watch')) return 'watch';
  if (method === 'GET') return isOne ? 'get' : 'list';
  if (contentType.startsWith('application/apply-patch')) return query.has('dryRun') ? 'apply (dry run)' : 'apply';
  return `${verbs[method] ?? method}${query.has('dryRun') ? ' (dry run)' : ''}`;
}

/** Verb and resource of a request to a Kubernetes API server: `apply (dry run) configmaps`, `patch bundles/status`. */
export function requestKind(asked: Asked): string {
  const url = new URL(asked.path, 'http://localhost');
  const place = placeOf(url.pathname);
  if (place === undefined) return 'discovery';
  return `${verbOf(asked, url.searchParams, place.isOne)} ${place.resource}`;
}
