export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const authenticated = 'system:authenticated';

/** User information with the groups that every authenticated user, and every service account, has. */
export function completeUser(username: string, groups: readonly string[], uid?: string): UserInfo {
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username);
  const own = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`];
  const all = [...new Set([...groups, ...own, authenticated])];
  return { username, groups: all, ...(uid === undefined ? {} : { uid }) };
}
