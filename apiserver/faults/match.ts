import type { UserInfo } from '../core/index.ts';
import type { RequestInfo, ResourceRequest } from '../http/index.ts';

/** Which requests on resources are meant; what is left out matches all. */
export interface RequestMatch {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verbs?: readonly string[];
  /** `''` is the core group. */
  readonly group?: string;
  /** Plural, as in RBAC: `deployments` (not its subresources), `deployments/status`, `*`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** User name of who asks. */
  readonly user?: string;
  /** Only the second and later pages of lists. */
  readonly isContinued?: boolean;
  /** Only dry runs, or only requests that write. */
  readonly isDryRun?: boolean;
}

function isResource(expected: string | undefined, { plural, subresource }: ResourceRequest): boolean {
  return (
    expected === undefined ||
    expected === '*' ||
    expected === (subresource === '' ? plural : `${plural}/${subresource}`)
  );
}

function isSame(expected: string | undefined, found: string): boolean {
  return expected === undefined || expected === found;
}

/** Whether a request is one of those that `match` means. Requests on paths that are no resources never are. */
export function isMatch(
  match: RequestMatch,
  request: { readonly info: RequestInfo; readonly user: UserInfo; readonly query: URLSearchParams },
): boolean {
  const { info, user, query } = request;
  if (info.kind !== 'resource') return false;
  const isContinued = (query.get('continue') ?? '') !== '';
  const isExpected =
    match.verbs?.includes(info.verb) !== false &&
    (match.isContinued ?? isContinued) === isContinued &&
    (match.isDryRun ?? query.has('dryRun')) === query.has('dryRun');
  const { group, namespace, name } = info;
  const pairs = [
    [match.group, group],
    [match.namespace, namespace],
    [match.name, name],
    [match.user, user.username],
  ] as const;
  return isExpected && isResource(match.resource, info) && pairs.every(([expected, found]) => isSame(expected, found));
}
