import type { Authorizer } from '../auth/index.ts';
import type { UserInfo } from '../core/index.ts';
import { checkAccess } from './access.ts';
import type { HttpRequest } from './exchange.ts';
import { PlainError } from './plain-error.ts';

const prefix = 'impersonate-';
const extraPrefix = 'impersonate-extra-';
const authentication = 'authentication.k8s.io';
const anonymous = 'system:anonymous';
const authenticated = 'system:authenticated';
const unauthenticated = 'system:unauthenticated';

interface Impersonated {
  readonly kind: 'User' | 'ServiceAccount' | 'Group' | 'UserExtra' | 'UID';
  readonly resource: string;
  readonly group: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

function impersonated(
  kind: Impersonated['kind'],
  resource: string,
  rest: Partial<Impersonated> & { readonly name: string },
): Impersonated {
  return { kind, resource, group: '', subresource: '', namespace: '', ...rest };
}

/** Header names have no case; what is escaped in them keeps its own. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Node.js reads each byte of a header as a character; names are UTF-8. */
function decodeValue(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}

/** The Impersonate headers, one by one as they were sent: a value may hold a comma. */
function headersOf({ rawHeaders }: HttpRequest): (readonly [name: string, value: string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (name.startsWith(prefix)) pairs.push([name, decodeValue(rawHeaders[index + 1] ?? '')]);
  }
  return pairs;
}

function userOf(name: string): Impersonated {
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? [];
  if (namespace === undefined || account === undefined) return impersonated('User', 'users', { name });
  return impersonated('ServiceAccount', 'serviceaccounts', { namespace, name: account });
}

/** Everything that is asked for, in the order in which it is checked. */
function identitiesOf(pairs: readonly (readonly [string, string])[]): Impersonated[] {
  const valuesOf = (header: string): string[] => pairs.filter(([name]) => name === header).map(([, value]) => value);
  const [user = ''] = valuesOf('impersonate-user');
  const [uid = ''] = valuesOf('impersonate-uid');
  const extras = pairs.filter(([name]) => name.startsWith(extraPrefix));
  return [
    ...(user === '' ? [] : [userOf(user)]),
    ...valuesOf('impersonate-group').map((name) => impersonated('Group', 'groups', { name })),
    ...extras.map(([header, name]) =>
      impersonated('UserExtra', 'userextras', {
        group: authentication,
        subresource: decodeKey(header.slice(extraPrefix.length)),
        name,
      }),
    ),
    ...(uid === '' ? [] : [impersonated('UID', 'uids', { group: authentication, name: uid })]),
  ];
}

/** As kube-apiserver prints the references that it makes of the headers. */
function print({ kind, namespace, name, group, subresource }: Impersonated): string {
  const version = group === '' ? '' : `${group}/v1`;
  return `{${[kind, namespace, name, '', version, '', subresource].join(' ')}}`;
}

function groupsOf(identities: readonly Impersonated[], username: string): string[] {
  const named = identities.filter(({ kind }) => kind === 'Group').map(({ name }) => name);
  const account = identities.find(({ kind }) => kind === 'ServiceAccount');
  const own =
    account === undefined || named.length > 0
      ? []
      : ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  const groups = [...own, ...named];
  if (username === anonymous) return groups.includes(unauthenticated) ? groups : [...groups, unauthenticated];
  const isListed = groups.includes(authenticated) || groups.includes(unauthenticated);
  return isListed ? groups : [...groups, authenticated];
}

function impersonatedUser(identities: readonly Impersonated[], username: string): UserInfo {
  const extra: Record<string, string[]> = {};
  for (const { kind, subresource, name } of identities) {
    if (kind === 'UserExtra')
      extra[subresource] = [...(Object.hasOwn(extra, subresource) ? (extra[subresource] ?? []) : []), name];
  }
  const uid = identities.find(({ kind }) => kind === 'UID')?.name;
  return {
    username,
    groups: groupsOf(identities, username),
    ...(uid === undefined ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The user that a request acts as: `user`, or who its Impersonate headers name.
 *  @throws StatusError 403 when `user` may not do that · PlainError 500 for groups, uid or extra without a user */
export function impersonate(authorizer: Authorizer, user: UserInfo, request: HttpRequest): UserInfo {
  const pairs = headersOf(request);
  if (pairs.length === 0) return user;
  const identities = identitiesOf(pairs);
  const [first] = identities;
  if (first === undefined) return user;
  if (first.kind !== 'User' && first.kind !== 'ServiceAccount') {
    const list = identities.map((identity) => print(identity)).join(' ');
    const path = JSON.stringify(request.url ?? '');
    throw new PlainError(500, `Internal Server Error: ${path}: requested [${list}] without impersonating a user\n`);
  }
  for (const { resource, group, subresource, namespace, name } of identities) {
    const about = { group, version: 'v1', plural: resource, namespace, name, subresource };
    checkAccess(authorizer, user, { kind: 'resource', verb: 'impersonate', ...about });
  }
  const username = first.kind === 'User' ? first.name : `system:serviceaccount:${first.namespace}:${first.name}`;
  return impersonatedUser(identities, username);
}
