/** A user as the API server knows them. */
export interface RequestUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A client without credentials. */
export const anonymousUser: RequestUser = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
