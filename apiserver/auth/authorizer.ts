import type { PolicyRule } from '../../src/rbac/index.ts';
import type { UserInfo } from '../core/index.ts';

/** What a user wants to do, in the words of RBAC. */
export type AccessRequest =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      /** Plural; empty subresource means the resource itself. */
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

export interface AccessDecision {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/** Decides what a user may do. Pure of effects; asked on every request. */
export interface Authorizer {
  decide(user: UserInfo, request: AccessRequest): AccessDecision;
  /** Rules of the user in a namespace, for SelfSubjectRulesReview. */
  rulesOf(
    user: UserInfo,
    namespace: string,
  ): { readonly rules: readonly PolicyRule[]; readonly errors: readonly string[] };
}
