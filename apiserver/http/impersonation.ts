import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../admission/plugin.ts';
import { type Authorizer, completeUser } from '../auth/index.ts';
import { checkAccess } from './access.ts';
import { badRequest } from './status-error.ts';

const extraPrefix = 'impersonate-extra-';

function list(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  // node joins repeated headers with a comma.
  return [value].flat().flatMap((text) => text.split(',').map((part) => part.trim()));
}

function extrasOf(headers: IncomingHttpHeaders): Record<string, string[]> {
  const names = Object.keys(headers).filter((name) => name.startsWith(extraPrefix));
  return Object.fromEntries(
    names.map((name) => [decodeURIComponent(name.slice(extraPrefix.length)).toLowerCase(), list(headers[name])]),
  );
}

interface Impersonated {
  readonly resource: string;
  readonly group?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name: string;
}

function userResource(name: string): Impersonated {
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? [];
  if (namespace === undefined || account === undefined) return { resource: 'users', name };
  return { resource: 'serviceaccounts', namespace, name: account };
}

interface Wish {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid: string | undefined;
  readonly extra: Readonly<Record<string, string[]>>;
}

function wishOf(headers: IncomingHttpHeaders): Wish {
  const [name = ''] = list(headers['impersonate-user']);
  const [uid] = list(headers['impersonate-uid']);
  return { name, groups: list(headers['impersonate-group']), uid, extra: extrasOf(headers) };
}

const authentication = 'authentication.k8s.io';

function impersonatedBy({ name, groups, uid, extra }: Wish): Impersonated[] {
  return [
    userResource(name),
    ...groups.map((group) => ({ resource: 'groups', name: group })),
    ...(uid === undefined ? [] : [{ resource: 'uids', group: authentication, name: uid }]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => ({ resource: 'userextras', group: authentication, subresource: key, name: value })),
    ),
  ];
}

/** The user that a request acts as: `user`, or who its Impersonate headers name.
 *  @throws StatusError 403 when `user` may not do that, 400 for groups without a user */
export function impersonate(authorizer: Authorizer, user: UserInfo, headers: IncomingHttpHeaders): UserInfo {
  const wish = wishOf(headers);
  const hasExtra = Object.keys(wish.extra).length > 0;
  if (wish.name === '') {
    const isAsked = wish.groups.length > 0 || wish.uid !== undefined || hasExtra;
    if (isAsked) throw badRequest('requested groups, uid or extra without impersonating a user');
    return user;
  }
  for (const { resource, group = '', subresource = '', namespace = '', name } of impersonatedBy(wish)) {
    const about = { group, version: 'v1', plural: resource, namespace, name, subresource };
    checkAccess(authorizer, user, { kind: 'resource', verb: 'impersonate', ...about });
  }
  const complete = completeUser(wish.name, wish.groups, wish.uid);
  return hasExtra ? { ...complete, extra: wish.extra } : complete;
}
