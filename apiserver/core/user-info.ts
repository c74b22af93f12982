export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const authenticated = 'system:authenticated';

const accountName = /^system:serviceaccount:([^:]+):[^:]+$/;

/** As whom a user shares what is limited: the service accounts of a namespace, which its users create, are one. */
export function sharerOf({ username }: Pick<UserInfo, 'username'>): string {
  const [, namespace] = accountName.exec(username) ?? [];
  return namespace === undefined ? username : `system:serviceaccount:${namespace}`;
}

/** User information with the groups that every authenticated user, and every service account, has. */
export function completeUser(username: string, groups: readonly string[], uid?: string): UserInfo {
  const account = accountName.exec(username);
  const own = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`];
  const all = [...new Set([...groups, ...own, authenticated])];
  return { username, groups: all, ...(uid === undefined ? {} : { uid }) };
}
