/** A user or service account that requests impersonate: the API server applies its permissions, and no others. */
export interface ActingUser {
  readonly user: string;
  /** Of a service account the API server knows them itself, when none is named: then nothing but the account takes a right to impersonate. */
  readonly groups?: readonly string[];
}

/** A service account as the API server knows it when it authenticates by its own token. */
export function serviceAccountUser(account: { readonly namespace: string; readonly name: string }): ActingUser {
  return { user: `system:serviceaccount:${account.namespace}:${account.name}` };
}

/** The impersonation headers of a request; a header of several values is sent several times. */
export function actingHeaders({ user, groups = [] }: ActingUser): Record<string, string | string[]> {
  return { 'impersonate-user': user, ...(groups.length === 0 ? {} : { 'impersonate-group': [...groups] }) };
}
