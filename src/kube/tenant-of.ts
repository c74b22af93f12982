const serviceAccount = /^system:serviceaccount:([^:]+):/;

/** Who has a share where users share something: the user, or for service accounts their namespace. Users who may create one there have as many names as
 *  they like. */
export function tenantOf(username: string): string {
  const [, namespace] = serviceAccount.exec(username) ?? [];
  return namespace === undefined ? username : `system:serviceaccounts:${namespace}`;
}
