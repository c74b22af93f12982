/** A user or service account that requests impersonate: the API server applies its permissions, and no others. */
export interface ActingUser {
  readonly user: string;
  readonly uid?: string;
  /** Of a service account the API server knows them itself, when none is named: then nothing but the account takes a right to impersonate. */
  readonly groups?: readonly string[];
  /** What the authenticator adds, such as the node of a pod's token; keys in lower case. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A service account as the API server knows it when it authenticates by its own token. */
export function serviceAccountUser(account: { readonly namespace: string; readonly name: string }): ActingUser {
  return { user: `system:serviceaccount:${account.namespace}:${account.name}` };
}

/** A header is bytes, which API servers read as UTF-8. */
function headerValue(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The impersonation headers of a request; a header of several values is sent several times. */
export function actingHeaders({ user, uid, groups = [], extra = {} }: ActingUser): Record<string, string | string[]> {
  const more = Object.entries(extra).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key)}`,
    values.map(headerValue),
  ]);
  return {
    'impersonate-user': headerValue(user),
    ...(uid === undefined ? {} : { 'impersonate-uid': headerValue(uid) }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups.map(headerValue) }),
    ...(Object.fromEntries(more) as Record<string, string[]>),
  };
}
